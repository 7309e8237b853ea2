internal import ClubStore
internal import FoundationEssentials

/// Edits the section `clubs` of a `config.yml`: adds, removes or changes one club.
///
/// The file belongs to the user. Only the lines of the club concerned are changed, and the result is parsed
/// again before it may be written: every club must be as intended, and every other section unchanged.
/// Otherwise nothing is changed.
struct ClubSection {
    private let text: String
    private let document: YAMLLines

    init(_ text: String) {
        self.text = text
        document = YAMLLines(text)
    }

    /// The text with this club in place of the one with the same name.
    ///
    /// - Returns: Nil when that would change lines of something else.
    func setting(_ club: ClubSettings) -> String? {
        var clubs = Settings(reading: text).clubs
        if let index = clubs.firstIndex(where: { $0.name == club.name }) {
            clubs[index] = club
        } else {
            clubs.append(club)
        }
        return checked(inserting(club), clubs)
    }

    /// The text without the club.
    func removing(_ name: String) -> String? {
        let clubs = Settings(reading: text).clubs.filter { $0.name != name }
        guard let root = try? YAMLNode.parse(text), let section = section(in: root),
            let entry = entry(of: name, in: section.value)
        else { return checked(text, clubs) }
        return checked(document.replacing(entry, with: []), clubs)
    }
}

extension ClubSection {
    private func inserting(_ club: ClubSettings) -> String? {
        guard let root = try? YAMLNode.parse(text), !root.isNull else {
            return document.appending(["clubs:"] + Self.lines(of: club, indent: 2))
        }
        guard root.pairs != nil else { return nil }
        guard let section = section(in: root) else {
            return document.appending(["clubs:"] + Self.lines(of: club, indent: root.column + 1))
        }
        if section.value.isNull {
            let key = section.key
            return document.replacing(
                key.line..<key.line, with: Self.lines(of: club, indent: key.column + 1))
        }
        guard case .mapping(let pairs, isFlow: false) = section.value.content,
            let first = pairs.first, let last = pairs.last
        else { return nil }
        let new = Self.lines(of: club, indent: first.key.column - 1)
        if let entry = entry(of: club.name, in: section.value) {
            return document.replacing(entry, with: new)
        }
        let end = document.end(ofEntryAt: last.key)
        return document.replacing(end..<end, with: new)
    }

    private func section(in root: YAMLNode) -> (key: YAMLNode, value: YAMLNode)? {
        root.pairs?.first { $0.key.scalar == "clubs" }
    }

    /// The lines of a club, counted from 0.
    private func entry(of name: String, in section: YAMLNode) -> Range<Int>? {
        guard case .mapping(let pairs, isFlow: false) = section.content,
            let pair = pairs.first(where: { $0.key.scalar == name })
        else { return nil }
        return (pair.key.line - 1)..<document.end(ofEntryAt: pair.key)
    }

    private func checked(_ new: String?, _ clubs: [ClubSettings]) -> String? {
        guard let new, case let settings = Settings(reading: new), settings.clubs == clubs,
            let others = otherSections(of: text), let newOthers = otherSections(of: new),
            others.count == newOthers.count,
            zip(others, newOthers).allSatisfy({ $0.key.says($1.key) && $0.value.says($1.value) })
        else { return nil }
        return new
    }

    /// Nil when the text is not YAML.
    private func otherSections(of text: String) -> [(key: YAMLNode, value: YAMLNode)]? {
        do throws(YAMLNode.Failure) {
            guard let root = try YAMLNode.parse(text), !root.isNull else { return [] }
            return root.pairs?.filter { $0.key.scalar != "clubs" }
        } catch {
            return nil
        }
    }
}

extension ClubSection {
    /// A club as lines of YAML.
    static func lines(of club: ClubSettings, indent: Int) -> [String] {
        let outer = String(repeating: " ", count: indent)
        let fields: [(String, String)]
        switch club.place {
        case .embedded: fields = [("kind", "embedded")]
        case .dropbox(let dropbox):
            fields = [
                ("kind", "dropbox"), ("app-key", dropbox.appKey),
                ("folder", dropbox.folder ?? ""), ("api-url", dropbox.apiURL?.absoluteString ?? ""),
            ]
        case .webdav(let webdav):
            fields = [
                ("kind", "webdav"), ("url", webdav.url.absoluteString),
                ("user", webdav.signIn.user ?? ""),
                ("sign-in", webdav.signIn == .token ? "token" : ""),
                ("ca-file", webdav.authoritiesFile ?? ""), ("pin", webdav.pin?.description ?? ""),
            ]
        }
        return [outer + scalar(club.name) + ":"]
            + fields.filter { !$0.1.isEmpty }.map { outer + "  " + $0.0 + ": " + scalar($0.1) }
    }

    /// A text as a YAML scalar: plain where that is unambiguous, else in double quotes.
    static func scalar(_ text: String) -> String {
        let words: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        let isPlain = text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "@"):
                true
            default: false
            }
        }
        let startsLikeAWord = text.first.map { $0.isASCII && $0.isLetter } ?? false
        if isPlain, startsLikeAWord, !words.contains(text.lowercased()) { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case _
            where scalar.properties.generalCategory == .control
                || scalar.properties.generalCategory == .format || scalar.value > 0xFFFF
                || scalar == "\u{2028}" || scalar == "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
