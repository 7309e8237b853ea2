internal import CurlNetworking
internal import FoundationEssentials

/// The authentication schemes that a server offers (RFC 9110, section 11.6.1).
enum AuthenticationSchemes {
    /// Asks a server for them, without credentials.
    ///
    /// - Returns: Empty if it does not say so, or cannot be asked.
    @concurrent static func offered(at url: URL) async -> [String] {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 15
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: url)
        request.httpMethod = "PROPFIND"
        request.setValue("0", forHTTPHeaderField: "depth")
        // The head is enough: a body may have any length.
        guard let head = try? await session.bytes(for: request).1 as? HTTPURLResponse,
            head.statusCode == 401, head.url?.host() == url.host(),
            let field = head.value(forHTTPHeaderField: "WWW-Authenticate")
        else { return [] }
        return read(field)
    }

    /// The schemes of a `WWW-Authenticate` field, each once, without their parameters.
    static func read(_ field: String) -> [String] {
        var schemes: [String] = []
        for challenge in parts(of: field.prefix(4096)) {
            let part = challenge.drop { $0 == " " || $0 == "\t" }
            let name = part.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            // What has an equals sign after its name is a parameter of the scheme before it.
            let rest = part.dropFirst(name.count)
            guard !name.isEmpty, rest.isEmpty || rest.first == " ",
                rest.first(where: { $0 != " " }) != "=",
                !schemes.contains(where: { $0.lowercased() == name.lowercased() })
            else { continue }
            schemes.append(String(name))
        }
        return schemes
    }

    static func takePasswords(_ schemes: [String]) -> Bool {
        schemes.contains { ["basic", "digest"].contains($0.lowercased()) }
    }

    /// Splits at commas outside of quotes.
    private static func parts(of field: Substring) -> [Substring] {
        var parts: [Substring] = []
        var start = field.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in field.indices {
            let character = field[index]
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = isQuoted
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                parts.append(field[start..<index])
                start = field.index(after: index)
            }
        }
        return parts + [field[start...]]
    }
}
