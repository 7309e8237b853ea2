import CCurl
import FoundationEssentials
import Synchronization

extension URLSessionConfiguration {
    /// The oldest version of TLS a server may speak; 1.2 unless set.
    ///
    /// The system's own policy may be stricter: Debian's OpenSSL refuses what is older than 1.2.
    public var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { settings.withLock { $0.tls.minimum } }
        set { settings.withLock { $0.tls.minimum = newValue } }
    }

    /// The newest version of TLS a server may speak; 1.3 unless set. Below the minimum, no secure
    /// connection can be made.
    public var tlsMaximumSupportedProtocolVersion: tls_protocol_version_t {
        get { settings.withLock { $0.tls.maximum } }
        set { settings.withLock { $0.tls.maximum = newValue } }
    }
}

struct TLSSettings: Hashable, Sendable {
    var minimum = tls_protocol_version_t.TLSv12
    var maximum = tls_protocol_version_t.TLSv13
    /// A file of PEM in place of the system's authorities.
    var authoritiesFile: URL?

    /// For CURLOPT_SSLVERSION.
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
