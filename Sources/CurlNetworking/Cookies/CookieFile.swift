import FoundationEssentials

/// The file a cookie storage is kept in. A full jar of the largest cookies fits in.
struct CookieFile: Sendable {
    typealias CorruptionError = SharedListFile<Cookie>.CorruptionError

    private let file: SharedListFile<Cookie>

    var path: String { file.path }

    init(path: String) {
        file = SharedListFile(path: path, title: "CurlNetworking cookies 1", isSound: \.isSound)
    }

    /// Reads the cookies as they are at this moment. No file, or one that is not whole, has none.
    ///
    /// - Throws: When the file cannot be read.
    func read() throws(URLError) -> (cookies: [Cookie], stamp: AtomicFile.Stamp?) {
        let (cookies, stamp) = try file.read()
        return (cookies, stamp)
    }

    /// Changes the file as it is now, while no other process does.
    ///
    /// - Throws: When the file or its lock cannot be written; the file is then as it was.
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
    /// Whether it could have come out of a jar.
    fileprivate var isSound: Bool {
        let isClean = [name, value, domain, path].allSatisfy { text in
            text.utf8.allSatisfy {
                $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") || $0 == 0x09
            }
        }
        return isClean && !name.isEmpty && !domain.isEmpty && path.hasPrefix("/")
            && CookieScope.canonicalHost(domain) == domain
    }

    /// Without dates JSON has no numbers for.
    fileprivate var finite: Cookie {
        var cookie = self
        if let expires, !expires.timeIntervalSince1970.isFinite { cookie.expires = .distantFuture }
        if !created.timeIntervalSince1970.isFinite { cookie.created = .distantPast }
        return cookie
    }
}
