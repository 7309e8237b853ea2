import FoundationEssentials
import CurlNetworkingPlatform

/// A file in which several processes share a list: a line with its kind, version and checksum, then the list
/// as JSON. It has mode 0600, is replaced atomically, and changed under a lock.
struct SharedListFile<Element: Codable & Sendable>: Sendable {
    let path: String
    /// The kind and version.
    let title: String
    /// Whether an element is valid; the file is not trusted otherwise.
    let isSound: @Sendable (Element) -> Bool

    static var largestByteCount: Int { 64 << 20 }

    struct CorruptionError: Error {
        var reason: String
    }

    // MARK: - Reading and writing

    /// Reads the current list. A missing or damaged file is an empty list.
    ///
    /// - Throws: If the file cannot be read.
    func read() throws(URLError) -> (list: [Element], stamp: AtomicFile.Stamp?) {
        guard let file = try AtomicFile.readStamped(path, atMost: Self.largestByteCount) else {
            return ([], nil)
        }
        return ((try? decode(file.bytes)) ?? [], file.stamp)
    }

    /// Reads the list under the lock; renames a damaged file to `….damaged`.
    private func readOrSetAside() throws(URLError) -> [Element] {
        do {
            guard let file = try AtomicFile.readStamped(path, atMost: Self.largestByteCount) else {
                return []
            }
            return try decode(file.bytes)
        } catch let error as URLError where error.code != .dataLengthExceedsMaximum {
            throw error
        } catch {
            try AtomicFile.setAside(path)
            return []
        }
    }

    /// Changes the current contents of the file under a lock.
    ///
    /// - Parameter change: Changes the list of the file.
    /// - Throws: If the file or its lock cannot be written; the file is unchanged then.
    func update(
        _ change: (inout [Element]) -> Void
    ) throws(URLError) -> (list: [Element], stamp: AtomicFile.Stamp) {
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try AtomicFile.makeFolder(String(path[..<slash]))
        }
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard lock >= 0 else {
            throw URLError(.cannotOpenFile, underlyingText: "\(path).lock: \(lastSystemError)")
        }
        defer { LockedFile.close(lock) }
        guard LockedFile.wait(for: lock) == 0 else {
            throw URLError(.cannotOpenFile, underlyingText: "\(path).lock: \(lastSystemError)")
        }
        var list = try readOrSetAside()
        change(&list)
        let stamp = try AtomicFile.write(encode(list), to: path, by: path + ".new")
        return (list, stamp)
    }

    // MARK: - File format

    func encode(_ list: [Element]) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Encoding strings, finite numbers and booleans cannot fail.
        let body = (try? encoder.encode(list)) ?? Data("[]".utf8)
        return Data("\(title) \(Checksum.of(body).hexadecimal)\n".utf8) + body
    }

    func decode(_ bytes: Data) throws(CorruptionError) -> [Element] {
        guard let lineEnd = bytes.prefix(128).firstIndex(of: 0x0A) else {
            throw CorruptionError(reason: "no title")
        }
        let body = bytes[bytes.index(after: lineEnd)...]
        let expected = "\(title) \(Checksum.of(body).hexadecimal)"
        guard bytes[..<lineEnd].elementsEqual(expected.utf8) else {
            throw CorruptionError(reason: "the title or the sum is wrong")
        }
        do {
            return try JSONDecoder().decode([Element].self, from: Data(body)).filter(isSound)
        } catch {
            throw CorruptionError(reason: "\(error)")
        }
    }
}
