import CurlNetworking
import FoundationEssentials

/// The secrets that a request carries: a server may quote them when it refuses the request, and its words end up
/// in sentences, logs and files.
struct EchoedSecrets: Sendable {
    private let texts: [String]

    /// Shorter ones would be found in words that are not secret.
    private static let minimumByteCount = 4

    /// - Parameter texts: Passwords, tokens and the fields made from them.
    init(_ texts: [String]) {
        // The longest first: a token contains what it was made from.
        self.texts = texts.flatMap(Self.spellings)
            .filter { $0.utf8.count >= Self.minimumByteCount }
            .sorted { $0.utf8.count > $1.utf8.count }
    }

    /// The token of a request's `Authorization` field.
    init(of request: URLRequest) {
        let field = request.value(forHTTPHeaderField: "Authorization") ?? ""
        self.init([String(field.drop { $0 != " " }.drop { $0 == " " })])
    }

    /// As JSON and web pages write them.
    private static func spellings(_ text: String) -> [String] {
        let json = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let page = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
        return Array(Set([text, json, json.replacing("/", with: "\\/"), page]))
    }

    /// The beginning of a body as text, without the secrets.
    ///
    /// - Parameter count: In characters.
    func text(of body: Data, characterLimit count: Int) -> String {
        // More than is asked for, so that no part of a secret is left at the end.
        String(removed(from: String(decoding: body.prefix(1 << 16), as: UTF8.self)).prefix(count))
    }

    func removed(from text: String) -> String {
        texts.reduce(text) { $0.replacing($1, with: "…") }
    }
}

extension WebDAVCredentials {
    /// What must not be shown of them.
    var secrets: EchoedSecrets {
        switch self {
        case .none: EchoedSecrets([])
        case .password(let user, let password):
            EchoedSecrets([
                password, "\(user):\(password)",
                Data("\(user):\(password)".utf8).base64EncodedString(),
            ])
        case .bearer(let token): EchoedSecrets([token])
        }
    }
}
