internal import ByteClubFiles
internal import FoundationEssentials
internal import Glibc

/// The folder of texts being read on this computer: each is unlinked as soon as it is open.
struct LargeTextFolder: Sendable {
    private let folder: URL

    init(_ folder: URL) { self.folder = folder }

    /// Returns a name for a new file. Removes files that were never opened after a day.
    ///
    /// - Throws: `AtomicFile.Failure`.
    @concurrent func makeFile() async throws(AtomicFile.Failure) -> URL {
        try AtomicFile.makeFolder(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        // The system's temporary folder contains others' files.
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
