/// What a person looks for.
public struct TextQuery: Sendable, Hashable {
    /// The text or the expression; empty finds nothing.
    public var text: String
    /// Whether `text` is a regular expression (Perl's syntax) or stands for itself.
    public var isRegularExpression: Bool
    /// How capital and small letters are compared.
    public var caseRule: TextSearch.CaseRule

    public init(
        _ text: String = "", isRegularExpression: Bool = false,
        caseRule: TextSearch.CaseRule = .smart
    ) {
        self.text = text
        self.isRegularExpression = isRegularExpression
        self.caseRule = caseRule
    }

    /// Whether there is nothing to look for.
    public var isEmpty: Bool { text.isEmpty }

    /// Whether capital and small letters are the same to it.
    public var ignoresCase: Bool {
        switch caseRule {
        case .exact: false
        case .ignored: true
        case .smart: !hasCapital
        }
    }

    /// In an expression `\S` and its like are classes, not letters.
    private var hasCapital: Bool {
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isRegularExpression, isEscaped {
                isEscaped = false
                continue
            }
            isEscaped = scalar == "\\"
            if scalar.properties.isUppercase { return true }
        }
        return false
    }
}
