/// A `select` element while its options are read: the selected ones are shown, else the first.
struct HTMLChoice {
    /// In bytes.
    private static let lengthLimit = 200

    private var selected: [String] = []
    private var first: String?
    private var option: String?
    private var isSelected = false
    private var isDisabled = false
    private let isMultiple: Bool

    init(_ attributes: [String: String]) { isMultiple = attributes["multiple"] != nil }

    /// The option before ends, as its end tag may be missing.
    mutating func beginOption(_ attributes: [String: String]) {
        endOption()
        option = ""
        isSelected = attributes["selected"] != nil
        isDisabled = attributes["disabled"] != nil
    }

    mutating func append(_ text: String) {
        guard let option, option.utf8.count < Self.lengthLimit else { return }
        self.option = option + text
    }

    mutating func endOption() {
        guard let option else { return }
        let words = DocumentBuilder.words(option)
        if !isDisabled { first = first ?? words }
        if isSelected, !isMultiple { selected = [] }
        if isSelected, selected.count < 8 { selected.append(words) }
        self.option = nil
    }

    /// The text to show.
    mutating func finish() -> String {
        endOption()
        var words = selected.joined(separator: ", ")
        if selected.isEmpty, !isMultiple { words = first ?? "" }
        return words.isEmpty ? "[ … ]" : "[\(words) ▾]"
    }
}
