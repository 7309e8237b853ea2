import FoundationEssentials

/// The file of a cookie storage. It is large enough for a full jar of the largest cookies.
struct CookieFile: Sendable {
    typealias CorruptionError = SharedListFile<Cookie>.CorruptionError

    private let file: SharedListFile<Cookie>

    var path: String { file.path }

    init(path: String) {
        file = SharedListFile(path: path, title: "CurlNetworking cookies 1", isSound: \.isSound)
    }

    /// Reads the current cookies. A missing or damaged file has none.
    ///
    /// - Throws: If the file cannot be read.
    func read() throws(URLError) -> (cookies: [Cookie], stamp: AtomicFile.Stamp?) {
        let (cookies, stamp) = try file.read()
        return (cookies, stamp)
    }

    /// Changes the current contents of the file under a lock.
    ///
    /// - Throws: If the file or its lock cannot be written; the file is unchanged then.
    func update(
        _ change: (inout [Cookie]) -> Void
    ) throws(URLError) -> (cookies: [Cookie], stamp: AtomicFile.Stamp) {
        let (cookies, stamp) = try file.update { cookies in
            change(&cookies)
            cookies = cookies.map(\.finite)
        }
        return (cookies, stamp)
    }

    static func encode(_ cookies: [Cookie]) -> Data {
        CookieFile(path: "").file.encode(cookies.map(\.finite))
    }

    static func decode(_ bytes: Data) throws(CorruptionError) -> [Cookie] {
        try CookieFile(path: "").file.decode(bytes)
    }
}

extension Cookie {
    /// Whether a jar could have written it.
    fileprivate var isSound: Bool {
        let isClean = [name, value, domain, path].allSatisfy { text in
            text.utf8.allSatisfy {
                $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") || $0 == 0x09
            }
        }
        return isClean && !name.isEmpty && !domain.isEmpty && path.hasPrefix("/")
            && CookieScope.canonicalHost(domain) == domain
    }

    /// The cookie without dates that JSON cannot represent.
    fileprivate var finite: Cookie {
        var cookie = self
        if let expires, !expires.timeIntervalSince1970.isFinite { cookie.expires = .distantFuture }
        if !created.timeIntervalSince1970.isFinite { cookie.created = .distantPast }
        return cookie
    }
}
