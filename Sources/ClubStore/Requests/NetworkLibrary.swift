internal import CurlNetworking

/// The network library under every store, for diagnostics.
public enum NetworkLibrary {
    /// E.g. `libcurl/7.88.1 OpenSSL/3.0.17`.
    public static var version: String { TransferLibrary.version }
    public static var supportsTLS: Bool { TransferLibrary.supportsTLS }
    /// The PEM file with the trusted authorities; nil if they are not in a single file.
    public static var authoritiesFile: String? { TransferLibrary.authoritiesFile }
}
