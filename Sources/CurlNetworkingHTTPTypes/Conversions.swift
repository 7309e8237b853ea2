public import CurlNetworking
import FoundationEssentials
public import HTTPTypes

// Conversions of requests and responses. The names are those of `HTTPTypesFoundation`.

extension URLRequest {
    /// Creates a request from an HTTP request; returns nil if it has no URL: a scheme, an authority and a
    /// path.
    ///
    /// Repeated fields are joined, by commas or, for `Cookie`, by semicolons (RFC 9110 §5.3).
    public init?(httpRequest: HTTPRequest) {
        guard let url = httpRequest.url else { return nil }
        self.init(
            url: url, method: httpRequest.method.rawValue, fields: httpRequest.headerFields.lines)
    }

    /// The request without its body; nil if it has no URL or its method is not a token.
    public var httpRequest: HTTPRequest? {
        guard let url, let method = HTTPRequest.Method(httpMethod ?? "GET") else { return nil }
        return HTTPRequest(method: method, url: url, headerFields: HTTPFields(lines: fieldLines))
    }
}

extension HTTPURLResponse {
    /// The response. Each `Set-Cookie` is a separate field; other repeated fields are joined.
    public var httpResponse: HTTPResponse? {
        guard (0...999).contains(statusCode) else { return nil }
        return HTTPResponse(
            status: HTTPResponse.Status(code: statusCode),
            headerFields: HTTPFields(lines: fieldLines))
    }
}

extension HTTPFields {
    /// Creates fields from names and values. A name that is not a token is omitted.
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
