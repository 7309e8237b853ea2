package import ByteClubMessages

/// The user's settings: `config.yml`, parsed leniently.
///
/// An invalid line affects only its own setting, and is reported with its line number. To add a section: a
/// property here, a reader in ``sections``; one that only the screen understands goes to ``screenSections``,
/// with its reader beside the screen's code.
package struct Settings: Sendable {
    /// In the file's order; without the embedded club, which always exists.
    package var clubs: [ClubSettings] = []
    /// The sections about keys and colors, unparsed, by name.
    package private(set) var screenSections: [String: YAMLNode] = [:]
    package var editor = EditorSettings()
    package var transfers = TransferSettings()
    /// Whether Byte Club handles clicks and the wheel, or the terminal does, for its selection.
    package var usesMouse = true
    /// Whether the output is for a screen reader: no lines, no colors, no pictures.
    package var isPlain = false
    /// The language; nil for the environment's. Takes effect at the next start.
    package var language: Language?

    /// The invalid parts of the file, in its order.
    package var problems: [Problem] = []

    /// The problem that hides clubs with unknown names.
    private var clubsProblem: Problem?
    /// The problem that hides a club, by its name in lowercase.
    private var clubProblems: [String: Problem] = [:]

    /// Set when a section is not valid YAML, or the file has no settings: it cannot be edited as it
    /// is.
    var unreadable: Problem?

    /// Written by a newer program: unknown settings may be valid.
    package var isNewer = false

    /// An invalid line.
    package struct Problem: Hashable, Sendable {
        /// One-based.
        package var line: Int
        package var sentence: String

        package init(line: Int, sentence: String) {
            self.line = line
            self.sentence = sentence
        }

        /// `line 7: There is no setting “thme”.`
        package var description: String { localized("line \(line): \(sentence)") }
    }

    /// The newest file format known here: its `version`, 1 if missing.
    package static let version = 1

    init() {}

    /// Reads a whole file. Never fails: see ``problems``.
    init(reading text: String) {
        guard let root = parse(text), !root.isNull else { return }
        guard let pairs = root.pairs else {
            report(
                root.line, localized("The file must be made of settings: a name, a colon, a value.")
            )
            unreadable = problems.first
            hideClubs()
            return
        }
        readVersion(pairs)
        var seen: Set<String> = []
        for (key, value) in pairs {
            guard let name = key.scalar else {
                report(key.line, localized("A setting's name must be a word."))
                continue
            }
            guard seen.insert(name).inserted else {
                report(
                    key.line,
                    localized("The section “\(name)” is there twice; the first one counts."))
                if name == "clubs" { hideClubs() }
                continue
            }
            if let read = Self.sections[name] {
                read(&self, value)
            } else if !isNewer {
                report(key.line, localized("There is no setting “\(name)”."))
            }
        }
        problems.sort { $0.line < $1.line }
    }

    /// Removes sections that are not valid YAML, one by one, so that an invalid line affects only its own
    /// section.
    private mutating func parse(_ text: String) -> YAMLNode? {
        var rest = SectionedText(text)
        while true {
            do throws(YAMLNode.Failure) {
                return try YAMLNode.parse(rest.text)
            } catch {
                let isTabbed = rest.isIndentedByTab(error.line)
                let reason =
                    isTabbed ? localized("it begins with a tab; indent with spaces") : error.reason
                report(error.line, localized("This cannot be read: \(reason)."))
                if unreadable == nil { unreadable = problems.first }
                let section = rest.removeSection(around: error.line)
                if section?.contains("clubs") ?? true { hideClubs() }
                if section == nil { return nil }
            }
        }
    }

    /// The reader of each section.
    private static let sections: [String: @Sendable (inout Settings, YAMLNode) -> Void] = [
        "version": { _, _ in },
        "clubs": { $0.readClubs($1) },
        "keys": { $0.screenSections["keys"] = $1 },
        "theme": { $0.screenSections["theme"] = $1 },
        "editor": { $0.readEditor($1) },
        "transfers": { $0.readTransfers($1) },
        "mouse": { $0.readMouse($1) },
        "plain": { $0.readPlain($1) },
        "language": { $0.readLanguage($1) },
    ]

    static var sectionNames: Set<String> { Set(sections.keys) }

    mutating func report(_ line: Int, _ sentence: String) {
        problems.append(Problem(line: line, sentence: sentence))
    }

    /// Records that the last problem hides clubs with unknown names.
    mutating func hideClubs() { clubsProblem = problems.last }

    /// Records the problem that hides a club.
    mutating func hideClub(_ name: String, by problem: Problem) {
        clubProblems[name.lowercased()] = problem
    }

    /// Why a club may be in the file but not in ``clubs``; nil if it is not there.
    func problem(hiding name: String) -> Problem? {
        clubProblems[name.lowercased()] ?? clubsProblem
    }

    private mutating func readVersion(_ pairs: [(key: YAMLNode, value: YAMLNode)]) {
        guard let value = pairs.first(where: { $0.key.scalar == "version" })?.value else { return }
        guard let number = value.scalar.flatMap({ Int($0) }), number > 0 else {
            report(
                value.line,
                localized("The version must be a number; this Byte Club writes \(Self.version)."))
            return
        }
        guard number > Self.version else { return }
        isNewer = true
        report(
            value.line,
            localized(
                "The file was written for a newer Byte Club (version \(number)); what this one does not know is left alone."
            )
        )
    }
}
