import DropboxAPI
import FoundationEssentials

/// A client's position in a folder's listing and its changes.
///
/// Opaque to clients, and stateless here: a cursor stays valid across restarts.
struct ListingCursor: Codable, Hashable, Sendable {
    /// The epoch of ``sequence``.
    var epoch: String
    /// Every change up to this number is known to the client, or will be at the end of the listing.
    var sequence: UInt64
    /// The folder's key.
    var folder: String
    var isRecursive: Bool
    var includesDeleted: Bool
    /// Entries per page.
    var pageSize: Int
    /// During the listing: the last key that was returned.
    var after: String?

    private enum CodingKeys: String, CodingKey {
        case epoch = "e"
        case sequence = "s"
        case folder = "f"
        case isRecursive = "r"
        case includesDeleted = "d"
        case pageSize = "n"
        case after = "a"
    }

    var text: String {
        guard let data = try? WireJSON.encode(self) else {
            preconditionFailure("a cursor could not be encoded")
        }
        return Base64URL.encode(data)
    }

    init(
        epoch: String, sequence: UInt64, folder: String, isRecursive: Bool, includesDeleted: Bool,
        pageSize: Int, after: String? = nil
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.folder = folder
        self.isRecursive = isRecursive
        self.includesDeleted = includesDeleted
        self.pageSize = pageSize
        self.after = after
    }

    /// nil for text that is not a cursor.
    init?(_ text: String) {
        guard let data = Base64URL.decode(text),
            let cursor = try? WireJSON.decode(Self.self, from: data),
            (1...2000).contains(cursor.pageSize)
        else { return nil }
        self = cursor
    }
}

/// Base64 in the URL-safe alphabet, without padding (RFC 4648 §5).
enum Base64URL {
    static func encode(_ data: some Sequence<UInt8>) -> String {
        var text = ""
        for character in Data(data).base64EncodedString() {
            switch character {
            case "+": text += "-"
            case "/": text += "_"
            case "=": break
            default: text.append(character)
            }
        }
        return text
    }

    static func decode(_ text: String) -> Data? {
        var base64 = ""
        for character in text {
            switch character {
            case "-": base64 += "+"
            case "_": base64 += "/"
            case "+", "/", "=": return nil
            default: base64.append(character)
            }
        }
        base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        return Data(base64Encoded: base64)
    }
}
