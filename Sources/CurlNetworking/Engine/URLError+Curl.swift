import CByteClubCurl
import FoundationEssentials
import CurlNetworkingPlatform

extension URLError {
    /// Converts libcurl's result for a transfer of a valid http or https URL.
    ///
    /// - Parameters:
    ///   - certificate: CURLINFO_SSL_VERIFYRESULT: an X509_V_ERR number of OpenSSL, 0 if the chain was valid.
    ///   - system: CURLINFO_OS_ERRNO, or 0.
    ///   - text: The error buffer.
    init(curl code: CURLcode, certificate: Int, system: Int, text: String?, url: URL?) {
        let isLongLine =
            code == CURLE_OUT_OF_MEMORY
            ? LibraryDefects.current.reportsLongLineAsNoMemory : code == CURLcode(rawValue: 100)
        self.init(
            isBadChunk(code, text)
                ? .cannotParseResponse
                : Code(curl: code, certificate: certificate, system: system), failingURL: url,
            underlyingText: isLongLine
                ? "a line in the head of the answer is over 100 KiB"
                : text ?? String(cString: curl_easy_strerror(code)))
    }
}

/// Whether a chunk was malformed. There is no code for it; the texts differ by version, but all contain the
/// word. System error texts never do.
private func isBadChunk(_ code: CURLcode, _ text: String?) -> Bool {
    code == CURLE_RECV_ERROR && text?.contains("chunk") == true
}

extension URLError.Code {
    fileprivate init(curl code: CURLcode, certificate: Int, system: Int) {
        switch code {
        case CURLE_URL_MALFORMAT: self = .badURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .cannotFindHost
        case CURLE_COULDNT_CONNECT:
            self =
                [Int(ENETUNREACH), Int(ENETDOWN)].contains(system)
                ? .notConnectedToInternet : .cannotConnectToHost
        case CURLE_PROXY: self = .cannotConnectToHost  // SOCKS refused
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            self = .networkConnectionLost
        case CURLE_BAD_CONTENT_ENCODING: self = .cannotDecodeContentData
        case CURLcode(rawValue: 100): self = .cannotParseResponse
        case CURLE_OUT_OF_MEMORY:
            self =
                LibraryDefects.current.reportsLongLineAsNoMemory ? .cannotParseResponse : .unknown
        // A response in an unknown version of HTTP (libcurl reports HTTP/0.9 as an unsupported protocol), or
        // a field that libcurl's own list cannot hold (a bad argument).
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP_RETURNED_ERROR,
            CURLE_BAD_FUNCTION_ARGUMENT:
            self = .cannotParseResponse
        case CURLE_SEND_FAIL_REWIND: self = .requestBodyStreamExhausted
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR:
            self.init(verificationResult: certificate)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            self = .secureConnectionFailed
        case CURLE_SSL_CERTPROBLEM: self = .clientCertificateRejected
        case CURLE_SSL_CLIENTCERT: self = .clientCertificateRequired
        case CURLE_FILESIZE_EXCEEDED: self = .dataLengthExceedsMaximum
        default: self = .unknown
        }
    }
}
