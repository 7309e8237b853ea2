/// What the person has chosen: `config.yml`, read leniently.
///
/// A wrong line costs what it says and nothing else, and is told with its place. To add a section: a
/// property here, a reader in ``sections``; one that only the screen understands goes to
/// ``screenSections``, and its reader beside the screen's code.
package struct Settings: Sendable {
    /// In the order of the file; without the embedded club, which is always there.
    package var clubs: [ClubSettings] = []
    /// The sections that are about keys and colors, unread, by their names.
    package private(set) var screenSections: [String: YAMLNode] = [:]
    package var editor = EditorSettings()
    package var transfers = TransferSettings()
    /// Whether clicks and the wheel are Byte Club's, or the terminal's to select text with.
    package var usesMouse = true

    /// What could not be taken from the file, in its order.
    package var problems: [Problem] = []

    /// What keeps all clubs, or some, from being read, whatever their names.
    private var clubsProblem: Problem?
    /// What keeps a club from being read, by its name in lower case.
    private var clubProblems: [String: Problem] = [:]

    /// Set when the file is no YAML in some section, or no settings: it cannot be changed as it is.
    var unreadable: Problem?

    /// Written by a newer program: what is not known here may be right all the same.
    package var isNewer = false

    /// A line that is not as it should be.
    package struct Problem: Hashable, Sendable {
        /// From 1.
        package var line: Int
        package var sentence: String

        package init(line: Int, sentence: String) {
            self.line = line
            self.sentence = sentence
        }

        /// `line 7: There is no setting “thme”.`
        package var description: String { "line \(line): \(sentence)" }
    }

    /// The newest form of the file that is known here: its `version`, 1 where there is none.
    package static let version = 1

    init() {}

    /// Reads a whole file. Never fails: see ``problems``.
    init(reading text: String) {
        guard let root = parse(text), !root.isNull else { return }
        guard let pairs = root.pairs else {
            report(root.line, "The file must be made of settings: a name, a colon, a value.")
            unreadable = problems.first
            hideClubs()
            return
        }
        readVersion(pairs)
        var seen: Set<String> = []
        for (key, value) in pairs {
            guard let name = key.scalar else {
                report(key.line, "A setting's name must be a word.")
                continue
            }
            guard seen.insert(name).inserted else {
                report(key.line, "The section “\(name)” is there twice; the first one counts.")
                if name == "clubs" { hideClubs() }
                continue
            }
            if let read = Self.sections[name] {
                read(&self, value)
            } else if !isNewer {
                report(key.line, "There is no setting “\(name)”.")
            }
        }
        problems.sort { $0.line < $1.line }
    }

    /// Leaves out, one by one, the sections that are no YAML, so that a wrong line costs its section alone.
    private mutating func parse(_ text: String) -> YAMLNode? {
        var rest = SectionedText(text)
        while true {
            do throws(YAMLNode.Failure) {
                return try YAMLNode.parse(rest.text)
            } catch {
                let isTabbed = rest.isIndentedByTab(error.line)
                let reason = isTabbed ? "it begins with a tab; indent with spaces" : error.reason
                report(error.line, "This cannot be read: \(reason).")
                if unreadable == nil { unreadable = problems.first }
                let section = rest.removeSection(around: error.line)
                if section?.contains("clubs") ?? true { hideClubs() }
                if section == nil { return nil }
            }
        }
    }

    /// What reads each section of the file.
    private static let sections: [String: @Sendable (inout Settings, YAMLNode) -> Void] = [
        "version": { _, _ in },
        "clubs": { $0.readClubs($1) },
        "keys": { $0.screenSections["keys"] = $1 },
        "theme": { $0.screenSections["theme"] = $1 },
        "editor": { $0.readEditor($1) },
        "transfers": { $0.readTransfers($1) },
        "mouse": { $0.readMouse($1) },
    ]

    static var sectionNames: Set<String> { Set(sections.keys) }

    mutating func report(_ line: Int, _ sentence: String) {
        problems.append(Problem(line: line, sentence: sentence))
    }

    /// Remembers that what was reported last keeps clubs from being read, and it is not known which.
    mutating func hideClubs() { clubsProblem = problems.last }

    /// Remembers what keeps a club from being read.
    mutating func hideClub(_ name: String, by problem: Problem) {
        clubProblems[name.lowercased()] = problem
    }

    /// Why a club may be in the file although it is not among the ``clubs``; nil when it is not there.
    func problem(hiding name: String) -> Problem? {
        clubProblems[name.lowercased()] ?? clubsProblem
    }

    private mutating func readVersion(_ pairs: [(key: YAMLNode, value: YAMLNode)]) {
        guard let value = pairs.first(where: { $0.key.scalar == "version" })?.value else { return }
        guard let number = value.scalar.flatMap({ Int($0) }), number > 0 else {
            report(
                value.line, "The version must be a number; this Byte Club writes \(Self.version).")
            return
        }
        guard number > Self.version else { return }
        isNewer = true
        report(
            value.line,
            "The file was written for a newer Byte Club (version \(number)); what this one does not know is left alone."
        )
    }
}
