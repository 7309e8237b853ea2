import FoundationEssentials
import Glibc

/// The file a cookie storage is kept in: a line that says what it is and how to tell whether it is
/// whole, then the cookies as JSON.
struct CookieFile: Sendable {
    let path: String

    /// A full jar of the largest cookies fits in.
    private static let largestByteCount = 64 << 20
    private static let title = "CurlNetworking cookies 1"

    struct CorruptionError: Error {
        var reason: String
    }

    // MARK: - Reading and writing

    /// Reads the cookies as they are at this moment. No file, or one that is not whole, has none.
    ///
    /// - Throws: When the file cannot be read.
    func read() throws(URLError) -> (cookies: [Cookie], stamp: AtomicFile.Stamp?) {
        guard let file = try AtomicFile.readStamped(path, atMost: Self.largestByteCount) else {
            return ([], nil)
        }
        return ((try? Self.decode(file.bytes)) ?? [], file.stamp)
    }

    /// Like `read`, under the lock: a file that is not whole is set aside, as `….damaged`.
    private func readOrSetAside() throws(URLError) -> [Cookie] {
        do {
            guard let file = try AtomicFile.readStamped(path, atMost: Self.largestByteCount) else {
                return []
            }
            return try Self.decode(file.bytes)
        } catch let error as URLError where error.code != .dataLengthExceedsMaximum {
            throw error
        } catch {
            try AtomicFile.setAside(path)
            return []
        }
    }

    /// Changes the file as it is now, while no other process does.
    ///
    /// - Parameter change: Gets the cookies in the file.
    /// - Throws: When the file or its lock cannot be written; the file is then as it was.
    func update(
        _ change: (inout [Cookie]) -> Void
    ) throws(URLError) -> (cookies: [Cookie], stamp: AtomicFile.Stamp) {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try AtomicFile.makeFolder(String(path[..<slash]))
        }
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw URLError(.cannotOpenFile, underlyingText: "\(path).lock: \(lastSystemError)")
        }
        defer { LockedFile.close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw URLError(.cannotOpenFile, underlyingText: "\(path).lock: \(lastSystemError)")
            }
        }
        var cookies = try readOrSetAside()
        change(&cookies)
        let stamp = try AtomicFile.write(Self.encode(cookies), to: path, by: path + ".new")
        return (cookies, stamp)
    }

    // MARK: - Its bytes

    static func encode(_ cookies: [Cookie]) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Strings, finite numbers and booleans always encode.
        let body = (try? encoder.encode(cookies.map(\.finite))) ?? Data("[]".utf8)
        return Data("\(title) \(Checksum.of(body).hexadecimal)\n".utf8) + body
    }

    static func decode(_ bytes: Data) throws(CorruptionError) -> [Cookie] {
        guard let lineEnd = bytes.prefix(128).firstIndex(of: 0x0A) else {
            throw CorruptionError(reason: "no title")
        }
        let body = bytes[bytes.index(after: lineEnd)...]
        let expected = "\(title) \(Checksum.of(body).hexadecimal)"
        guard bytes[..<lineEnd].elementsEqual(expected.utf8) else {
            throw CorruptionError(reason: "the title or the sum is wrong")
        }
        do {
            return try JSONDecoder().decode([Cookie].self, from: Data(body)).filter(\.isSound)
        } catch {
            throw CorruptionError(reason: "\(error)")
        }
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
