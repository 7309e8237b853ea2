internal import CurlNetworking

/// What every store's connections stand on, for a check of the set-up.
public enum NetworkLibrary {
    /// E.g. `libcurl/7.88.1 OpenSSL/3.0.17`.
    public static var version: String { TransferLibrary.version }
    public static var supportsTLS: Bool { TransferLibrary.supportsTLS }
    /// The PEM file of the authorities that servers are checked by; nil where it is no single file.
    public static var authoritiesFile: String? { TransferLibrary.authoritiesFile }
}
