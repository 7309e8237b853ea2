import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// The folder of partial files: accessible to the user only, and on disk instead of `/tmp`, which may be in
/// memory, so that another process can resume downloads after a restart.
struct PartialFiles: Sendable {
    let folder: PrivateFolder

    /// `$XDG_CACHE_HOME/CurlNetworking/Downloads`, or in `~/.cache`.
    static func standardPath(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        if let cache = environment["XDG_CACHE_HOME"], cache.hasPrefix("/") {
            return cache + "/CurlNetworking/Downloads"
        }
        if let home = environment["HOME"], home.hasPrefix("/") {
            return home + "/.cache/CurlNetworking/Downloads"
        }
        return "/tmp/CurlNetworking-\(geteuid())/Downloads"
    }

    init(path: String = PartialFiles.standardPath()) throws(URLError) {
        folder = try PrivateFolder(path: path)
    }

    private static let prefix = "part-"

    /// Whether a name has the format of these files: no other file is ever opened.
    static func isName(_ name: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let rest = name.dropFirst(prefix.count)
        return rest.utf8.count == 32
            && rest.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    static func makeName() -> String {
        var generator = SystemRandomNumberGenerator()
        return prefix + (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }.hex
    }

    /// Removes a partial file with its marks, even if it is open.
    func remove(_ name: String) {
        guard Self.isName(name) else { return }
        unlink(folder.path(of: name))
        PartialFileMarks.remove(ofPartAt: folder.path(of: name))
    }

    /// Creates an empty partial file, open for writing. It is locked while the descriptor is open, so that
    /// `removeOld` does not remove it.
    func make(
        _ name: String = makeName()
    ) throws(URLError) -> (name: String, descriptor: Int32) {
        let path = folder.path(of: name)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else { throw AtomicFile.failure(.cannotCreateFile, path) }
        _ = LockedFile.attempt(descriptor)
        return (name, descriptor)
    }

    /// Opens a partial file to continue it. Returns nil if it does not exist.
    ///
    /// - Throws: `.cannotOpenFile` for an invalid name, anything but a regular file of the user with one
    ///   link, and a file that another task is writing.
    func open(_ name: String) throws(URLError) -> (descriptor: Int32, byteCount: Int64)? {
        guard Self.isName(name) else {
            throw URLError(.cannotOpenFile, underlyingText: "not the name of a partial file")
        }
        let path = folder.path(of: name)
        let descriptor = Glibc.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw AtomicFile.failure(.cannotOpenFile, path)
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            facts.st_uid == geteuid(), facts.st_nlink == 1
        else {
            LockedFile.close(descriptor)
            throw URLError(
                .cannotOpenFile, underlyingText: "\(path) is not a partial file of this session")
        }
        guard LockedFile.attempt(descriptor) == .taken else {
            LockedFile.close(descriptor)
            throw URLError(.cannotOpenFile, underlyingText: "another task uses \(path)")
        }
        return (descriptor, Int64(facts.st_size))
    }

    /// Removes old partial files in this folder, once per process.
    func removeOldOnce() {
        let isFirst = Self.swept.withLock { $0.insert(folder.path).inserted }
        guard isFirst else { return }
        // The next process tries again what fails now.
        try? removeOld(now: Int64(Date().timeIntervalSince1970))
    }

    private static let swept = Mutex<Set<String>>([])

    /// Removes partial files that were not modified for a time and are not locked: those of killed processes,
    /// and those of resume data that was never used. Marks without a partial file are removed at once.
    ///
    /// - Parameter now: Seconds since 1970.
    func removeOld(than age: Duration = .seconds(14 * 24 * 3600), now: Int64) throws(URLError) {
        for name in try folder.names() {
            let path = folder.path(of: name)
            if name.hasSuffix(PartialFileMarks.suffix) {
                let part = String(path.dropLast(PartialFileMarks.suffix.count))
                if access(part, F_OK) != 0, errno == ENOENT { unlink(path) }
            }
            guard Self.isName(name) else { continue }
            let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            var facts = stat()
            if fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
                Int64(facts.st_mtim.tv_sec) < now - age.components.seconds,
                LockedFile.attempt(descriptor) == .taken
            {
                remove(name)
            }
            LockedFile.close(descriptor)
        }
    }
}
