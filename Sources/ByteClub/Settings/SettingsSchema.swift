internal import ClubAccess
internal import FoundationEssentials
internal import TerminalUI

/// The JSON Schema of `config.yml`, made from what the reader knows: editors use it for completion and
/// validation.
package enum SettingsSchema {
    /// Draft 2020-12, indented, ending with a newline.
    package static func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(root), as: UTF8.self) + "\n"
    }

    /// The subset of JSON Schema that is needed here.
    private indirect enum Node: Encodable {
        /// - Parameter names: The pattern of other names.
        case object(
            [String: Node], description: String, others: Node? = nil, names: String? = nil,
            required: [String] = [])
        case text(String, pattern: String? = nil, choices: [String]? = nil)
        /// A text that may look like a number.
        case name(String, pattern: String)
        case number(String, minimum: Double, maximum: Double, isWhole: Bool = false)
        case flag(String)
        case look(String)
        case keys(String, isTyping: Bool, isNeeded: Bool)
        case anyOf([Node])

        private struct Name: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(_ name: String) { stringValue = name }
            init?(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Name.self)
            switch self {
            case .object(let properties, let description, let others, let names, let required):
                // An empty section is null.
                let types = required.isEmpty ? ["object", "null"] : ["object"]
                try values.encode(types, forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode(properties, forKey: Name("properties"))
                if let others {
                    try values.encode(others, forKey: Name("additionalProperties"))
                } else {
                    try values.encode(false, forKey: Name("additionalProperties"))
                }
                if let names {
                    try values.encode(["pattern": names], forKey: Name("propertyNames"))
                }
                if !required.isEmpty { try values.encode(required, forKey: Name("required")) }
            case .text(let description, let pattern, let choices):
                try values.encode("string", forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encodeIfPresent(pattern, forKey: Name("pattern"))
                try values.encodeIfPresent(choices, forKey: Name("enum"))
            case .name(let description, let pattern):
                try values.encode(["string", "integer"], forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode(pattern, forKey: Name("pattern"))
            case .number(let description, let minimum, let maximum, let isWhole):
                try values.encode(isWhole ? "integer" : "number", forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode(minimum, forKey: Name("minimum"))
                try values.encode(maximum, forKey: Name("maximum"))
            case .flag(let description):
                // In YAML 1.2, on and off are strings.
                try values.encode(["boolean", "string", "null"], forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode(SettingsPatterns.flag, forKey: Name("pattern"))
            case .look(let description):
                // A number alone is a palette color.
                try values.encode(["string", "integer"], forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode(SettingsPatterns.look, forKey: Name("pattern"))
                try values.encode(0, forKey: Name("minimum"))
                try values.encode(255, forKey: Name("maximum"))
            case .keys(let description, let isTyping, let isNeeded):
                try values.encode(description, forKey: Name("description"))
                // A digit is also a key where keys do not type text.
                let types = isTyping ? ["string"] : ["string", "integer"]
                try values.encode(types + ["array"], forKey: Name("type"))
                try encodeKey(isTyping, into: &values)
                var items = values.nestedContainer(keyedBy: Name.self, forKey: Name("items"))
                try items.encode(types, forKey: Name("type"))
                try encodeKey(isTyping, into: &items)
                if isNeeded { try values.encode(1, forKey: Name("minItems")) }
            case .anyOf(let nodes):
                try values.encode(nodes, forKey: Name("anyOf"))
            }
        }

        private func encodeKey(
            _ isTyping: Bool, into values: inout KeyedEncodingContainer<Name>
        ) throws {
            let pattern =
                isTyping ? SettingsPatterns.keysWhereLettersAreText : SettingsPatterns.keys
            try values.encode(pattern, forKey: Name("pattern"))
            guard !isTyping else { return }
            try values.encode(0, forKey: Name("minimum"))
            try values.encode(9, forKey: Name("maximum"))
        }
    }

    private struct Root: Encodable {
        var schema = "https://json-schema.org/draft/2020-12/schema"
        var title = "Byte Club's config.yml"
        var content: Node

        private enum Name: String, CodingKey {
            case schema = "$schema"
            case title
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: Name.self)
            try values.encode(schema, forKey: .schema)
            try values.encode(title, forKey: .title)
            try content.encode(to: encoder)
        }
    }

    private static var root: Root {
        Root(
            content: .object(
                [
                    "version": .number(
                        "The form of the file.", minimum: 1, maximum: Double(Settings.version),
                        isWhole: true),
                    "mouse": .flag("Whether clicks and the wheel are Byte Club's (default: on)."),
                    "plain": .flag(
                        "Screen reader mode: no lines, no colors, no pictures, the cursor where the keys go."
                    ),
                    "language": .text(
                        "What Byte Club speaks (default: auto, as LC_ALL, LC_MESSAGES or LANG says).",
                        choices: Settings.languageNames),
                    "clubs": clubs, "keys": keys, "theme": theme, "editor": editor,
                    "transfers": transfers,
                ], description: "Every section may be left out."))
    }

    private static var clubs: Node {
        .object(
            [:], description: "Clubs by the names they are called by.",
            others: .anyOf([dropbox, webdav(isToken: false), webdav(isToken: true)]),
            names: SettingsPatterns.clubName)
    }

    private static var dropbox: Node {
        .object(
            [
                "kind": .text("A folder on Dropbox.", choices: ["dropbox"]),
                "app-key": .name(
                    "The key of your app in Dropbox's App Console.",
                    pattern: SettingsPatterns.appKey),
                "folder": .name(
                    "The club's folder (default: all that the app may see).",
                    pattern: SettingsPatterns.folder),
                "api-url": .text(
                    "A gateway replacing all Dropbox hosts.",
                    pattern: SettingsPatterns.secretAddress),
            ], description: "A club on Dropbox.", required: ["kind", "app-key"])
    }

    private static func webdav(isToken: Bool) -> Node {
        var fields: [String: Node] = [
            "kind": .text("A folder on a WebDAV server.", choices: ["webdav"]),
            "url": .text(
                "The club's folder.",
                pattern: isToken ? SettingsPatterns.secretAddress : SettingsPatterns.address),
            "sign-in": .text(
                "What is shown to the server (default: a password).",
                choices: [isToken ? "token" : "password"]),
            "ca-file": .text(
                "A file of certificates to trust instead of the system's.", pattern: "^/"),
            "pin": .text(
                "The server's only key to trust.", pattern: SettingsPatterns.pin),
        ]
        if !isToken {
            fields["user"] = .name(
                "Who signs in, with a password.", pattern: SettingsPatterns.user)
        }
        return .object(
            fields,
            description: isToken
                ? "A club on a WebDAV server, with a token." : "A club on a WebDAV server.",
            required: ["kind", "url", isToken ? "sign-in" : "user"])
    }

    private static var keys: Node {
        .object(
            Dictionary(
                KeyContext.all.flatMap(\.commands).map { command in
                    let keys = Node.keys(
                        command.title, isTyping: ScreenSettings.commands[command.id] ?? false,
                        isNeeded: KeyContext.waysOut.contains(command.id))
                    return (command.id, keys)
                },
                uniquingKeysWith: { first, _ in first }),
            description: "Commands and their keys: one, a list, or an empty list to switch it off.")
    }

    private static var theme: Node {
        var nodes = Dictionary(
            uniqueKeysWithValues: Role.allCases.map {
                ($0.rawValue, Node.look("The look of \($0.purpose)."))
            })
        nodes["name"] = .text(
            "How all of it looks (default: auto, readable on any background).",
            choices: Theme.Scheme.allCases.map(\.rawValue))
        nodes["pictures"] = .text(
            "How pictures are shown (default: auto, the best that the terminal says it can).",
            choices: PictureSetting.allCases.map(\.rawValue))
        return .object(
            nodes,
            description: "What a text is for, and how it looks: bold blue, or \"white on #005f87\"."
        )
    }

    private static var editor: Node {
        .object(
            [
                "wrap": .flag("Whether long lines are broken between words."),
                "line-numbers": .flag("Whether lines are numbered."),
                "tab-width": .number(
                    "Tab width.",
                    minimum: Double(EditorSettings.tabWidths.lowerBound),
                    maximum: Double(EditorSettings.tabWidths.upperBound), isWhole: true),
                "spelling": .anyOf([
                    .flag("Whether misspelled words are marked."),
                    .text("The language to check.", pattern: SettingsPatterns.language),
                ]),
            ], description: "The note editor.")
    }

    private static var transfers: Node {
        .object(
            [
                "photo-quality": .number(
                    "The JPEG quality of photos that are added.",
                    minimum: TransferSettings.photoQualities.lowerBound,
                    maximum: TransferSettings.photoQualities.upperBound),
                "photo-original": .flag("Whether photos are added as they are."),
                "photo-location": .flag("Whether the club learns where photos were taken."),
                "wait-on-metered": .flag(
                    "Whether photos wait while the network is metered (default: off)."),
                "at-once": .number(
                    "How many transfers of a club run at once (default: 2).",
                    minimum: Double(TransferSettings.countsAtOnce.lowerBound),
                    maximum: Double(TransferSettings.countsAtOnce.upperBound), isWhole: true),
                "limit-rate": .anyOf([
                    .text("Bytes in a second: 500K, 4M.", pattern: SettingsPatterns.rate),
                    .number("Bytes in a second.", minimum: 1, maximum: 999_999_999_999_999),
                ]),
            ], description: "How photos are moved.")
    }
}
