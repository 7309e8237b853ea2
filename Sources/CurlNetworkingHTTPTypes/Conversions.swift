public import CurlNetworking
import FoundationEssentials
public import HTTPTypes

// Requests and responses of both worlds. The names are those of `HTTPTypesFoundation`.

extension URLRequest {
    /// The same request; nil when it has no URL: a scheme, an authority and a path.
    ///
    /// Fields that come several times are joined, by commas or, for `Cookie`, by semicolons (RFC 9110 §5.3).
    public init?(httpRequest: HTTPRequest) {
        guard let url = httpRequest.url else { return nil }
        self.init(
            url: url, method: httpRequest.method.rawValue, fields: httpRequest.headerFields.lines)
    }

    /// The same request, without its body; nil when it has no URL or a method that is not a token.
    public var httpRequest: HTTPRequest? {
        guard let url, let method = HTTPRequest.Method(httpMethod ?? "GET") else { return nil }
        return HTTPRequest(method: method, url: url, headerFields: HTTPFields(lines: fieldLines))
    }
}

extension HTTPURLResponse {
    /// The same response. Each `Set-Cookie` is a field of its own; others that came several times are joined.
    public var httpResponse: HTTPResponse? {
        guard (0...999).contains(statusCode) else { return nil }
        return HTTPResponse(
            status: HTTPResponse.Status(code: statusCode),
            headerFields: HTTPFields(lines: fieldLines))
    }
}

extension HTTPFields {
    /// Fields by name and value. A name that is not a token is left out.
    init(lines: [(name: String, value: String)]) {
        self.init()
        reserveCapacity(lines.count)
        for (name, value) in lines {
            guard let name = HTTPField.Name(name) else { continue }
            append(HTTPField(name: name, value: value))
        }
    }

    var lines: [(name: String, value: String)] { map { ($0.name.rawName, $0.value) } }
}
