internal import ByteClubFiles
internal import FoundationEssentials
internal import Glibc

/// What interrupted downloads have left beside their destination, to go on from.
public enum DownloadRemains {
    /// Removes partial files of downloads to a file, of all revisions, except those that another program is
    /// writing. Blocks: do not call it on the main actor.
    ///
    /// - Parameter destination: The absolute path of the file.
    public static func remove(of destination: String) {
        let slash = destination.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(destination[...$0]) } ?? "./"
        let file = slash.map { String(destination[destination.index(after: $0)...]) } ?? destination
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where isRemains(name, of: file) {
            let path = folder + name
            let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if LockedFile.attempt(descriptor) == .taken { unlink(path) }
            LockedFile.close(descriptor)
        }
    }

    /// `.cliff.jpg.a1c10ce0dd78.part` is of `cliff.jpg`, and of nothing else.
    static func isRemains(_ name: String, of file: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count >= 4, let mark = parts.dropLast().last.flatMap({ String($0) }),
            !mark.isEmpty,
            mark.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        else { return false }
        // As it was named, shortened where it had to be; byte by byte, since a file system knows no letters.
        return PartialFile.path(beside: file, mark: mark).utf8.elementsEqual(name.utf8)
    }
}
