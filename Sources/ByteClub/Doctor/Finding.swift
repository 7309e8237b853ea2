/// What a check of the set-up has found: one thing, how it stands, and what to do about it.
public struct Finding: Hashable, Sendable, Codable {
    /// What was looked at, in a word or two: `terminal`, `clock`.
    public var subject: String
    public var verdict: Verdict
    /// How it stands, as a sentence.
    public var text: String
    /// What to do next, as a sentence; nil when there is nothing to do.
    public var advice: String?

    public enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
        case fine
        /// It works, and could be better.
        case notice
        /// Something does not work.
        case problem
    }

    init(_ subject: String, _ verdict: Verdict, _ text: String, advice: String? = nil) {
        self.subject = subject
        self.verdict = verdict
        self.text = text
        self.advice = advice
    }
}
