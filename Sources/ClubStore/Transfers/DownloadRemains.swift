internal import Files
internal import FoundationEssentials
internal import Glibc

/// What interrupted downloads have left beside their destination, to go on from.
public enum DownloadRemains {
    /// Removes what is left of the downloads to a file, in every revision; not what another program is
    /// receiving right now. Blocks: call it off the main actor.
    ///
    /// - Parameter destination: The absolute path of the file.
    public static func remove(of destination: String) {
        let file = URL(filePath: destination)
        let folder = file.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where isRemains(name, of: file.lastPathComponent) {
            let path = folder + "/" + name
            let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            LockedFile.close(descriptor)
        }
    }

    /// `.cliff.jpg.a1c10ce0dd78.part` is of `cliff.jpg`, and of nothing else.
    static func isRemains(_ name: String, of file: String) -> Bool {
        let start = "." + file + "."
        guard name.hasPrefix(start), name.hasSuffix(".part"),
            name.utf8.count > start.utf8.count + 5
        else { return false }
        let mark = name.dropFirst(start.count).dropLast(5)
        return mark.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}
