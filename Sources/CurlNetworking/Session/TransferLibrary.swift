internal import CCurl

/// The library that carries every transfer, for reports of how a computer is set up.
public enum TransferLibrary {
    /// The library and what it was built with: `libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13`.
    public static let version = String(cString: curl_version())

    /// Whether it can speak TLS; without, only `http` works.
    public static let supportsTLS = byteclub_curl_supports_tls() != 0

    /// The PEM file of the authorities that servers are checked by, unless a session names another; nil
    /// where there is a folder of them instead.
    public static let authoritiesFile = byteclub_curl_authorities_file().map { String(cString: $0) }
}
