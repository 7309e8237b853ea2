internal import CByteClubCurl

/// The library that performs all transfers, for diagnostic reports.
public enum TransferLibrary {
    /// The versions of libcurl and its components: `libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13`.
    public static let version = String(cString: curl_version())

    /// Whether it supports TLS; if not, only `http` URLs can be loaded.
    public static let supportsTLS = byteclub_curl_supports_tls() != 0

    /// The PEM file of the default certificate authorities; nil if they are in a folder.
    public static let authoritiesFile = byteclub_curl_authorities_file().map { String(cString: $0) }
}
