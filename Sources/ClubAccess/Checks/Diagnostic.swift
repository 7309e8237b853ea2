internal import ByteClubMessages

/// The result of one set-up check: its subject, its state, and advice.
public struct Diagnostic: Hashable, Sendable, Codable {
    /// What was checked, in a word or two: `terminal`, `clock`.
    public var subject: String
    public var severity: Severity
    /// The state, as a sentence.
    public var text: String
    /// What to do next, as a sentence; nil if nothing.
    public var advice: String?
    /// A title for people, where several diagnostics have one subject; not in JSON.
    package var title: String?

    public enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
        case fine
        /// It works, but could be better.
        case notice
        /// Something does not work.
        case problem
    }

    /// The keys of `doctor --json`, which other programs read.
    private enum CodingKeys: String, CodingKey {
        case subject, text, advice
        case severity = "verdict"
    }

    /// The subject in the user's language.
    package var shownSubject: String {
        if let title { return title }
        return switch subject {
        case "characters": localized("characters")
        case "clipboard": localized("clipboard")
        case "clock": localized("clock")
        case "club": localized("club")
        case "clubs": localized("clubs")
        // Other programs read the subject as it was spelled first.
        case "colours": localized("colors")
        case "connection": localized("connection")
        case "disk": localized("disk")
        case "libraries": localized("libraries")
        case "names": localized("names")
        case "permissions": localized("permissions")
        case "pictures": localized("pictures")
        case "quota": localized("quota")
        case "settings": localized("settings")
        case "terminal": localized("terminal")
        case "writing": localized("writing")
        default: subject
        }
    }

    package init(
        _ subject: String, _ severity: Severity, _ text: String, advice: String? = nil,
        title: String? = nil
    ) {
        self.subject = subject
        self.title = title
        self.severity = severity
        self.text = text
        self.advice = advice
    }
}
