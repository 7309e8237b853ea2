import DropboxAPI
public import FoundationEssentials

/// One OAuth 2 authorization with PKCE, so that the app needs no secret.
///
/// The person opens ``authorizationURL`` and agrees. The resulting code, from the page or by a
/// redirect to this computer, is useless without the verifier, which only the token endpoint ever
/// gets.
///
/// Source: RFC 6749, 7636 and 8252;
/// <https://www.dropbox.com/developers/documentation/http/documentation#oauth2-authorize>.
public struct DropboxOAuth: Sendable {
    public let app: DropboxApp

    /// Where the browser is redirected with the code; nil to show the code on the page.
    public let redirect: URL?

    private let verifier: String
    /// Returned with the redirect, which proves that it belongs to this sign-in.
    private let state: String

    public init(app: DropboxApp, redirect: URL? = nil) {
        self.app = app
        self.redirect = redirect
        verifier = Self.randomText(byteCount: 96)
        state = Self.randomText(byteCount: 24)
    }

    /// The URL to open in a browser.
    public var authorizationURL: URL {
        var fields = [
            ("client_id", app.key),
            ("response_type", "code"),
            ("code_challenge", Self.base64URL(sha256(of: Data(verifier.utf8)))),
            ("code_challenge_method", "S256"),
            ("token_access_type", "offline"),
            ("scope", DropboxApp.scopes.joined(separator: " ")),
        ]
        if let redirect {
            fields += [("redirect_uri", redirect.absoluteString), ("state", state)]
        }
        let text = DropboxApp.authorizationPage.absoluteString + "?" + Form.encode(fields)
        guard let url = URL(string: text) else { preconditionFailure("an encoded form is a query") }
        return url
    }

    /// Whether the query of a request to ``redirect`` has this sign-in's secret in it.
    @Sendable public func isOwnRedirect(_ query: some StringProtocol) -> Bool {
        guard let state = Form.decode(query)["state"] else { return false }
        return isEqualInConstantTime(state, self.state)
    }

    /// Reads the query of the browser's request to ``redirect``.
    ///
    /// - Parameter query: The request's query, without the question mark.
    /// - Returns: The code.
    /// - Throws: `.wrongState`, `.denied`, `.appRefused`, `.noCode`.
    public func code(fromRedirect query: some StringProtocol) throws(OAuthError) -> String {
        guard isOwnRedirect(query) else { throw OAuthError(.wrongState) }
        let fields = Form.decode(query)
        if let error = fields["error"] {
            let words = String("\(error): \(fields["error_description"] ?? "")".prefix(300))
            throw OAuthError(error == "access_denied" ? .denied : .appRefused, detail: words)
        }
        guard let code = fields["code"], !code.isEmpty else { throw OAuthError(.noCode) }
        return code
    }

    /// Turns the code into tokens. A code can be used once.
    ///
    /// - Parameter code: As shown on the page; surrounding whitespace is ignored.
    /// - Returns: The tokens, and those of ``DropboxApp/scopes`` that were not granted.
    @concurrent public func exchange(
        code: String
    ) async throws(OAuthError) -> (tokens: DropboxTokens, missingScopes: [String]) {
        let code = code.filter { !$0.isWhitespace }
        guard !code.isEmpty else { throw OAuthError(.noCode) }
        var fields = [
            ("grant_type", "authorization_code"), ("code", code), ("client_id", app.key),
            ("code_verifier", verifier),
        ]
        if let redirect { fields.append(("redirect_uri", redirect.absoluteString)) }
        let grant = try await TokenEndpoint(app).ask(fields, isRepeatable: false)
        // Some servers omit the scope: then everything requested was granted (RFC 6749,
        // 5.1).
        let granted = grant.scope.map { $0.split(separator: " ").map(String.init) }
        let missing = granted.map { granted in
            DropboxApp.scopes.filter { !granted.contains($0) }
        }
        return (grant.tokens(keeping: nil), missing ?? [])
    }
}

extension DropboxOAuth {
    /// Random bytes from the system, as letters, digits, `-` and `_`.
    private static func randomText(byteCount: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return base64URL(
            (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }

    /// RFC 4648, section 5, without padding.
    private static func base64URL(_ bytes: [UInt8]) -> String {
        String(
            Data(bytes).base64EncodedString().compactMap { character in
                switch character {
                case "+": "-"
                case "/": "_"
                case "=": nil
                default: character
                }
            })
    }
}

/// Fields as `application/x-www-form-urlencoded`.
enum Form {
    static func encode(_ fields: [(String, String)]) -> String {
        fields.map { escape($0) + "=" + escape($1) }.joined(separator: "&")
    }

    /// The first value of each field; malformed fields are skipped.
    static func decode(_ text: some StringProtocol) -> [String: String] {
        var fields: [String: String] = [:]
        for part in text.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = unescape(String(halves[0])),
                let value = unescape(halves.count > 1 ? String(halves[1]) : ""),
                fields[name] == nil
            else { continue }
            fields[name] = value
        }
        return fields
    }

    /// Everything but the unreserved characters of RFC 3986.
    private static func escape(_ text: String) -> String {
        var escaped = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                escaped += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return escaped
    }

    /// Nil for a percent sign without two digits, and for invalid UTF-8.
    private static func unescape(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = Substring(rest.prefix(2))
                guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                    let byte = UInt8(digits, radix: 16)
                else { return nil }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
