/// What the picker's line means: `/sea` filters as in other lists, and a second slash makes it a path.
enum PickerText: Equatable {
    case filter(String)
    /// As typed; see ``TypedPath``.
    case path(String)

    init(_ text: String) {
        let start = text.first { !$0.isWhitespace }
        if start == "~" || start == "'" || start == "\"" || text.contains("\\") {
            self = .path(text)
        } else if text.hasPrefix("/") {
            let rest = text.dropFirst()
            self = rest.contains("/") ? .path(text) : .filter(String(rest))
        } else {
            self = text.contains("/") ? .path(text) : .filter(text)
        }
    }
}
