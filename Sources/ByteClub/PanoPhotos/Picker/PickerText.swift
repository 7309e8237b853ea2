/// The meaning of the picker's input line: `/sea` is a filter as in other lists. A second slash makes it a
/// path, and so does `~` as the first character of an empty filter.
enum PickerText: Equatable {
    case filter(String)
    /// As typed; see ``TypedPath``.
    case path(String)

    var isPath: Bool { if case .path = self { true } else { false } }

    init(_ text: String) {
        let start = text.first { !$0.isWhitespace }
        if start == "~" || start == "'" || start == "\"" || text.contains("\\") {
            self = .path(text)
        } else if text.hasPrefix("/") {
            let rest = text.dropFirst()
            if rest == "~" || rest.hasPrefix("~/") {
                self = .path(String(rest))
            } else {
                self = rest.contains("/") ? .path(text) : .filter(String(rest))
            }
        } else {
            self = text.contains("/") ? .path(text) : .filter(text)
        }
    }
}
