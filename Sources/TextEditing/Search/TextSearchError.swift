internal import ByteClubMessages

/// Why a search could not be made.
public struct TextSearchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Why a search is invalid, for programs to distinguish.
    public enum Code: Hashable, Sendable {
        /// The expression is not valid; the number of characters before the fault.
        case invalidExpression(Int)
        /// Matching it took more steps, time or memory than a search may take.
        case tooComplex
    }

    /// The reason for programs; ``description`` has it for people.
    public let code: Code
    /// A sentence for the person who wrote the expression.
    public let description: String

    /// - Parameter description: What PCRE2 says, in English; nil for an expression that takes too long.
    init(_ code: Code, _ description: String? = nil) {
        self.code = code
        self.description =
            description ?? localized("This expression takes too long. Make it simpler.")
    }
}
