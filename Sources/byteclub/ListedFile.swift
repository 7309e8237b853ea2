import ClubStore
import FoundationEssentials

/// A file as the listing commands write it with `--json`. These fields stay as they are.
struct ListedFile: Encodable {
    /// The file's name, as it is.
    var name: String
    /// In bytes.
    var size: Int64
    /// In UTC: `2026-11-21T20:15:00Z`.
    var modified: String
    /// Changes with every change of the file, and with nothing else.
    var revision: String
    /// In the club: `/photos/cliff.jpg`.
    var path: String

    init(_ file: RemoteFile) {
        name = file.name
        size = file.byteCount
        modified = file.modified.ISO8601Format()
        revision = file.revision.rawValue
        path = file.path.string
    }

    /// An array of all, one line each field. No character in it means anything to a terminal.
    static func json(_ files: [RemoteFile]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(files.map(ListedFile.init)), as: UTF8.self)
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n", .format, .lineSeparator, .paragraphSeparator:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default:
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe + "\n"
    }
}
