import FoundationEssentials

// Descriptions of requests, responses and tasks for logs, without passwords, queries where the path suffices,
// and fields that may contain secrets.

extension URLRequest {
    /// A summary such as `GET http://a.test/b`, without user, query and fragment.
    var summary: String {
        "\(method) \(url?.withoutSecrets.absoluteString ?? "nowhere")"
    }
}

extension URLRequest: CustomDebugStringConvertible {
    /// The method, the URL without its password, and the length of the body.
    public var debugDescription: String {
        let body =
            httpBody.map { ", \($0.count) bytes" } ?? (httpBodyStream == nil ? "" : ", a stream")
        return "\(method) \(description)\(body)"
    }
}

extension URLRequest: CustomReflectable {
    /// The properties that Foundation's mirror has, with its names and in its order: `dump` and snapshots show them.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "url": url as Any, "cachePolicy": cachePolicy.rawValue,
            "timeoutInterval": timeoutInterval, "mainDocumentURL": mainDocumentURL as Any,
            "networkServiceType": networkServiceType, "allowsCellularAccess": allowsCellularAccess,
            "httpMethod": httpMethod as Any, "allHTTPHeaderFields": allHTTPHeaderFields as Any,
            "httpBody": httpBody as Any, "httpBodyStream": httpBodyStream as Any,
            "httpShouldHandleCookies": httpShouldHandleCookies,
            "httpShouldUsePipelining": httpShouldUsePipelining,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension URL {
    /// The URL without user, password, query and fragment.
    var withoutSecrets: URL {
        // An unparsable URL is omitted.
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
