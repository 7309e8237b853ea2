internal import FoundationEssentials
internal import TerminalUI

/// The form of `config.yml` as a JSON Schema, made from what the reader knows: editors complete and check
/// by it.
package enum SettingsSchema {
    /// Draft 2020-12, indented, with a line end.
    package static func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(root), as: UTF8.self) + "\n"
    }

    /// As much of JSON Schema as is needed here.
    private indirect enum Node: Encodable {
        case object([String: Node], description: String, others: Node?, required: [String] = [])
        case text(String, pattern: String? = nil, choices: [String]? = nil)
        case number(String, minimum: Double, maximum: Double, isWhole: Bool = false)
        case flag(String)
        case look(String)
        case keys(String)
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
            case .object(let properties, let description, let others, let required):
                // A section with nothing below it says nothing.
                try values.encode(["object", "null"], forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode(properties, forKey: Name("properties"))
                if let others {
                    try values.encode(others, forKey: Name("additionalProperties"))
                } else {
                    try values.encode(false, forKey: Name("additionalProperties"))
                }
                if !required.isEmpty { try values.encode(required, forKey: Name("required")) }
            case .text(let description, let pattern, let choices):
                try values.encode("string", forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encodeIfPresent(pattern, forKey: Name("pattern"))
                try values.encodeIfPresent(choices, forKey: Name("enum"))
            case .number(let description, let minimum, let maximum, let isWhole):
                try values.encode(isWhole ? "integer" : "number", forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode(minimum, forKey: Name("minimum"))
                try values.encode(maximum, forKey: Name("maximum"))
            case .flag(let description):
                // YAML 1.2 takes on and off for words.
                try values.encode(["boolean", "string"], forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
                try values.encode("^(on|off|yes|no)$", forKey: Name("pattern"))
            case .look(let description):
                // A number alone is a colour of the palette.
                try values.encode(["string", "integer"], forKey: Name("type"))
                try values.encode(description, forKey: Name("description"))
            case .keys(let description):
                try values.encode(description, forKey: Name("description"))
                try values.encode(["string", "integer", "array"], forKey: Name("type"))
                try values.encode(["type": ["string", "integer"]], forKey: Name("items"))
            case .anyOf(let nodes):
                try values.encode(nodes, forKey: Name("anyOf"))
            }
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
                    "mouse": .flag("Whether clicks and the wheel are Byte Club's."),
                    "clubs": clubs, "keys": keys, "theme": theme, "editor": editor,
                    "transfers": transfers,
                ], description: "Every section may be left out.", others: nil))
    }

    private static var clubs: Node {
        .object(
            [:], description: "Clubs by the names they are called by.",
            others: .anyOf([
                .object(
                    [
                        "kind": .text("A folder on Dropbox.", choices: ["dropbox"]),
                        "app-key": .text("The key of your app in Dropbox's App Console."),
                        "folder": .text("The club's folder; all that the app may see unless said."),
                        "api-url": .text(
                            "A gateway that stands for every host of Dropbox.",
                            pattern: "^https?://"),
                    ], description: "A club on Dropbox.", others: nil,
                    required: ["kind", "app-key"]),
                .object(
                    [
                        "kind": .text("A folder on a WebDAV server.", choices: ["webdav"]),
                        "url": .text("The club's folder.", pattern: "^https?://"),
                        "user": .text("Who signs in, with a password."),
                        "sign-in": .text(
                            "What is shown to the server; a password unless said.",
                            choices: ["password", "token"]),
                        "ca-file": .text(
                            "A file of certificates to believe instead of the system's.",
                            pattern: "^/"),
                        "pin": .text(
                            "The one key of the server to believe.", pattern: "^sha256//"),
                    ], description: "A club on a WebDAV server.", others: nil,
                    required: ["kind", "url"]),
            ]))
    }

    private static var keys: Node {
        let commands = KeyContext.all.flatMap(\.commands)
        return .object(
            Dictionary(
                commands.map { ($0.id, Node.keys($0.title)) },
                uniquingKeysWith: { first, _ in first }),
            description: "Commands and their keys: one, a list, or an empty list to switch it off.",
            others: nil)
    }

    private static var theme: Node {
        .object(
            Dictionary(
                uniqueKeysWithValues: Role.allCases.map {
                    ($0.rawValue, Node.look("E.g. bold blue, or \"white on #005f87\"."))
                }),
            description: "What a text is for, and how it looks.", others: nil)
    }

    private static var editor: Node {
        .object(
            [
                "wrap": .flag("Whether long lines are broken between words."),
                "line-numbers": .flag("Whether lines are numbered."),
                "tab-width": .number(
                    "Cells between tab stops.",
                    minimum: Double(EditorSettings.tabWidths.lowerBound),
                    maximum: Double(EditorSettings.tabWidths.upperBound), isWhole: true),
            ], description: "The note editor.", others: nil)
    }

    private static var transfers: Node {
        .object(
            [
                "photo-quality": .number(
                    "The JPEG quality of photos that are added.",
                    minimum: TransferSettings.photoQualities.lowerBound,
                    maximum: TransferSettings.photoQualities.upperBound),
                "limit-rate": .anyOf([
                    .text("Bytes in a second: 500K, 4M.", pattern: "^[0-9.]+[KMGkmg]?$"),
                    .number("Bytes in a second.", minimum: 1, maximum: 1e15, isWhole: true),
                ]),
            ], description: "How photos are moved.", others: nil)
    }
}
