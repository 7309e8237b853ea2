/// How the names of HTTP's own fields are usually written.
enum FieldNames {
    /// The usual spelling of a field's name; another name as it is.
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
