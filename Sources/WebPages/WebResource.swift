public import FoundationEssentials

/// A server's response.
public struct WebResource: Sendable {
    public enum Kind: Hashable, Sendable {
        case html, text, other
    }

    public var url: URL
    public var statusCode: Int
    /// In lowercase, without parameters; guessed if the server does not send it.
    public var mimeType: String
    public var charset: String?
    public var body: [UInt8]
    /// Whether it exceeded the limit.
    public var isCut: Bool

    public var kind: Kind {
        switch mimeType {
        case "text/html", "application/xhtml+xml": .html
        case "application/json", "application/xml", "application/javascript": .text
        case let type where type.hasPrefix("text/"): .text
        case let type where type.hasSuffix("+json") || type.hasSuffix("+xml"): .text
        default: .other
        }
    }

    /// Whether its type is a picture; drawings (SVG) are text.
    var isCalledPicture: Bool { mimeType.hasPrefix("image/") && kind == .other }

    /// The type of a body without a type: a page, text or something else.
    static func type(of body: [UInt8]) -> String {
        let head = body.prefix(1024)
        let words = String(decoding: head, as: UTF8.self).lowercased()
        if words.contains("<html") || words.contains("<!doctype html") { return "text/html" }
        return head.contains(0) ? "application/octet-stream" : "text/plain"
    }
}
