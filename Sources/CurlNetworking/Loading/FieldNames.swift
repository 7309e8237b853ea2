/// The usual spelling of standard HTTP field names.
enum FieldNames {
    /// Returns the usual spelling of a standard field name, or another name unchanged.
    static func usual(_ name: String) -> String {
        spellings[name.lowercased()] ?? name
    }

    private static let spellings = Dictionary(
        uniqueKeysWithValues: [
            "Accept-Ranges", "Age", "Allow", "Alt-Svc", "Authorization", "Cache-Control",
            "Connection", "Content-Disposition", "Content-Encoding", "Content-Language",
            "Content-Length", "Content-Location", "Content-Range", "Content-Type", "Date", "ETag",
            "Expires", "Keep-Alive", "Last-Modified", "Link", "Location", "Pragma",
            "Proxy-Authenticate", "Retry-After", "Server", "Set-Cookie",
            "Strict-Transport-Security", "Trailer", "Transfer-Encoding", "Upgrade", "Vary", "Via",
            "Warning", "WWW-Authenticate",
        ].map { ($0.lowercased(), $0) })
}
