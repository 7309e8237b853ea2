import CByteClubCurl

extension HTTPVersionPolicy.Library {
    /// The loaded libcurl.
    static let current = HTTPVersionPolicy.Library(
        version: byteclub_curl_version(),
        hasHTTP2: byteclub_curl_has_feature(CURL_VERSION_HTTP2),
        hasHTTP3: byteclub_curl_has_feature(CURL_VERSION_HTTP3), name: TransferLibrary.version)
}

extension HTTPVersionChoice {
    /// The value for CURLOPT_HTTP_VERSION.
    var curlVersion: Int {
        switch self {
        case .http1_1: CURL_HTTP_VERSION_1_1
        case .http2OrOlder: CURL_HTTP_VERSION_2TLS
        case .http2Only: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
        case .http3OrOlder: CURL_HTTP_VERSION_3
        }
    }
}
