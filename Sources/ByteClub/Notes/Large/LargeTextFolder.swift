internal import Files
internal import FoundationEssentials
internal import Glibc

/// Where texts are on this computer while they are read, and no longer: each loses its name as soon as it is
/// open.
struct LargeTextFolder: Sendable {
    private let folder: URL

    init(_ folder: URL) { self.folder = folder }

    /// A name for a new file; what was left of one that was never opened goes after a day.
    ///
    /// - Throws: `AtomicFile.Failure`.
    @concurrent func makeFile() async throws(AtomicFile.Failure) -> URL {
        try AtomicFile.makeFolder(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        // Others' files are here, too, where it is the system's folder.
        for name in names where name.contains(Self.prefix) {
            let path = folder.appending(path: name).path
            var facts = stat()
            guard lstat(path, &facts) == 0, time(nil) - facts.st_mtim.tv_sec > 86_400 else {
                continue
            }
            unlink(path)
        }
        return folder.appending(path: Self.prefix + UUID().uuidString)
    }

    private static let prefix = "byteclub-note-"
}
