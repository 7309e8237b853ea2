/// Changes one value of a `config.yml`, and no other line.
///
/// As with ``ClubSection``, the file belongs to the user: the result is parsed before it may be written, and
/// everything else must have the same meaning.
struct ValueEdit {
    private let text: String
    private let document: YAMLLines

    init(_ text: String) {
        self.text = text
        document = YAMLLines(text)
    }

    /// The text with a value; nil if that would change anything else.
    ///
    /// - Parameters:
    ///   - value: Nil removes the line, for the default value.
    ///   - path: The names from the left edge: a setting, or a section and its setting.
    func setting(_ value: String?, at path: [String]) -> String? {
        guard let name = path.last, (1...2).contains(path.count) else { return nil }
        let root: YAMLNode?
        do throws(YAMLNode.Failure) {
            root = try YAMLNode.parse(text)
        } catch {
            return nil
        }
        guard let new = edited(root, name, value, section: path.count == 2 ? path[0] : nil),
            says(new, value, at: path, unlike: root)
        else { return nil }
        return new
    }

    private func edited(
        _ root: YAMLNode?, _ name: String, _ value: String?, section: String?
    ) -> String? {
        let line = value.map { "\(name): \(Self.written($0))" }
        guard let root, !root.isNull else {
            return line.map { document.appending(Self.lines($0, in: section, indent: 0)) } ?? text
        }
        guard case .mapping(let pairs, isFlow: false) = root.content else { return nil }
        guard let section else { return edited(pairs, name, value, indent: root.column - 1) }
        guard let pair = pairs.first(where: { $0.key.scalar == section }) else {
            guard let line else { return text }
            return document.appending(Self.lines(line, in: section, indent: root.column - 1))
        }
        if pair.value.isNull {
            guard let line else { return text }
            // A `~` or `null` after the name would be invalid: the check detects it.
            let indent = String(repeating: " ", count: pair.key.column + 1)
            return document.replacing(pair.key.line..<pair.key.line, with: [indent + line])
        }
        guard case .mapping(let inner, isFlow: false) = pair.value.content, let first = inner.first
        else { return nil }
        return edited(inner, name, value, indent: first.key.column - 1)
    }

    /// Replaces, removes or adds a line in an existing mapping.
    private func edited(
        _ pairs: [(key: YAMLNode, value: YAMLNode)], _ name: String, _ value: String?, indent: Int
    ) -> String? {
        if let pair = pairs.first(where: { $0.key.scalar == name }) {
            let entry = (pair.key.line - 1)..<document.end(ofEntryAt: pair.key)
            guard let value else { return document.replacing(entry, with: []) }
            guard entry.count == 1, let line = document.lines[entry].first else { return nil }
            let comment = Self.comment(in: line).map { "  " + $0 } ?? ""
            let blanks = String(line.prefix { $0 == " " })
            return document.replacing(
                entry, with: ["\(blanks)\(name): \(Self.written(value))\(comment)"])
        }
        guard let value, let last = pairs.last else { return text }
        let end = document.end(ofEntryAt: last.key)
        let blanks = String(repeating: " ", count: indent)
        return document.replacing(
            end..<end, with: ["\(blanks)\(name): \(Self.written(value))"])
    }

    private static func lines(_ line: String, in section: String?, indent: Int) -> [String] {
        let blanks = String(repeating: " ", count: indent)
        guard let section else { return [blanks + line] }
        return ["\(blanks)\(section):", "\(blanks)  \(line)"]
    }

    /// Numbers, and words such as `on`, are written unquoted: they are settings, not user text.
    private static func written(_ value: String) -> String {
        let isPlain = value.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isPlain && !value.isEmpty && !value.hasPrefix("-")
            ? value : ClubSection.scalar(value)
    }

    /// The comment after a value: a `#` after a blank, outside of quotes.
    private static func comment(in line: String) -> String? {
        var quote: Character?
        var previous: Character = " "
        for index in line.indices {
            let character = line[index]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "#", previous == " " || previous == "\t" {
                return String(line[index...].filter { $0 != "\r" })
            }
            previous = character
        }
        return nil
    }

    /// Whether a text has the value and otherwise the same meaning.
    private func says(
        _ new: String, _ value: String?, at path: [String], unlike old: YAMLNode?
    ) -> Bool {
        let root: YAMLNode?
        do throws(YAMLNode.Failure) {
            root = try YAMLNode.parse(new)
        } catch {
            return false
        }
        let (before, after) = (Self.values(of: old), Self.values(of: root))
        guard path.count == 2 else {
            return after[path[0]]?.scalar == value && Self.isSame(before, after, but: path[0])
        }
        let inner = Self.values(of: after[path[0]])
        return inner[path[1]]?.scalar == value && Self.isSame(before, after, but: path[0])
            && Self.isSame(Self.values(of: before[path[0]]), inner, but: path[1])
    }

    private static func values(of node: YAMLNode?) -> [String: YAMLNode] {
        let pairs = node?.pairs ?? []
        return Dictionary(
            pairs.compactMap { pair in pair.key.scalar.map { ($0, pair.value) } },
            uniquingKeysWith: { first, _ in first })
    }

    private static func isSame(
        _ before: [String: YAMLNode], _ after: [String: YAMLNode], but name: String
    ) -> Bool {
        Set(before.keys).union([name]) == Set(after.keys).union([name])
            && before.allSatisfy { key, value in
                key == name || after[key].map { value.says($0) } == true
            }
    }
}
