import FoundationEssentials

// What is printed of requests, answers and tasks, for logs: no passwords, no queries where a path will do,
// and no field that may hold a secret.

extension URLRequest {
    /// `GET http://a.test/b`, without user, query and fragment.
    var summary: String {
        "\(method) \(url?.withoutSecrets.absoluteString ?? "nowhere")"
    }
}

extension URLRequest: CustomDebugStringConvertible {
    /// Method, URL without a password, and how large the body is.
    public var debugDescription: String {
        let body =
            httpBody.map { ", \($0.count) bytes" } ?? (httpBodyStream == nil ? "" : ", a stream")
        return "\(method) \(description)\(body)"
    }
}

extension URL {
    /// Without user, password, query and fragment.
    var withoutSecrets: URL {
        // What cannot be taken apart is not shown.
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else {
            return Self.hidden
        }
        parts.user = nil
        parts.password = nil
        parts.query = nil
        parts.fragment = nil
        return parts.url ?? Self.hidden
    }

    private static let hidden = URL(filePath: "/hidden")
}
