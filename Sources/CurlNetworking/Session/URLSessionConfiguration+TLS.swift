import CByteClubCurl
import FoundationEssentials
import Synchronization

extension URLSessionConfiguration {
    /// The minimum version of TLS; 1.2 by default.
    ///
    /// The system's policy may be stricter: Debian's OpenSSL refuses versions before 1.2.
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { settings.withLock { $0.tls.minimum } }
        set { settings.withLock { $0.tls.minimum = newValue } }
    }

    /// The maximum version of TLS; 1.3 by default. If it is below the minimum, no secure connection is
    /// possible.
    public var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { settings.withLock { $0.tls.maximum } }
        set { settings.withLock { $0.tls.maximum = newValue } }
    }
}

struct TLSSettings: Hashable, Sendable {
    var minimum = tls_protocol_version_t.TLSv12
    var maximum = tls_protocol_version_t.TLSv13
    /// A PEM file that replaces the system's certificate authorities.
    var authoritiesFile: URL?

    /// The value for CURLOPT_SSLVERSION.
    var curlVersion: Int {
        let least = [
            tls_protocol_version_t.TLSv10: CURL_SSLVERSION_TLSv1_0,
            .TLSv11: CURL_SSLVERSION_TLSv1_1, .TLSv12: CURL_SSLVERSION_TLSv1_2,
            .TLSv13: CURL_SSLVERSION_TLSv1_3,
        ]
        let most = [
            tls_protocol_version_t.TLSv10: CURL_SSLVERSION_MAX_TLSv1_0,
            .TLSv11: CURL_SSLVERSION_MAX_TLSv1_1, .TLSv12: CURL_SSLVERSION_MAX_TLSv1_2,
            .TLSv13: CURL_SSLVERSION_MAX_TLSv1_3,
        ]
        return Int(least[minimum] ?? CURL_SSLVERSION_TLSv1_2)
            | Int(most[maximum] ?? CURL_SSLVERSION_MAX_TLSv1_3)
    }
}
