import CByteClubLinux
import Glibc

/// Copies files and folders into the staging folder, without following links and only what a club
/// shows.
enum TreeCopy {
    /// - Returns: The files that were copied and did not change meanwhile. Their copies have their times.
    static func copy(
        _ diskNames: [String], isFolder: Bool, in access: FolderAccess, to staged: String
    ) throws(SystemError) -> Set<FileSignature> {
        guard let name = diskNames.last else { throw SystemError("copy", code: EINVAL) }
        let parent = try access.folder(Array(diskNames.dropLast()))
        var copied: Set<FileSignature> = []
        do throws(SystemError) {
            try copy(
                name, in: parent.number, to: staged, in: access.staging.number, depth: 0,
                noting: &copied)
        } catch {
            access.discard(staged: staged)
            throw error
        }
        return copied
    }

    private static func copy(
        _ name: String, in folder: Int32, to newName: String, in newFolder: Int32, depth: Int,
        noting copied: inout Set<FileSignature>
    ) throws(SystemError) {
        switch try FileStatus.of(name, in: folder).kind {
        case .special: return
        case .file:
            try copyFile(name, in: folder, to: newName, in: newFolder, noting: &copied)
        case .folder:
            if depth > 200 { throw SystemError("copy", code: ELOOP) }
            try SystemError.check("mkdir", mkdirat(newFolder, newName, 0o777))
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            let source = try Descriptor.opened("open", openat(folder, name, flags))
            let target = try Descriptor.opened("open", openat(newFolder, newName, flags))
            for child in try FolderAccess.names(in: source.number) {
                guard let text = child.text, NameRules.isShown(text) else { continue }
                try copy(
                    text, in: source.number, to: text, in: target.number, depth: depth + 1,
                    noting: &copied)
            }
            try SystemError.check("fsync", fsync(target.number))
        }
    }

    private static func copyFile(
        _ name: String, in folder: Int32, to newName: String, in newFolder: Int32,
        noting copied: inout Set<FileSignature>
    ) throws(SystemError) {
        let source = try FolderAccess.file(name, in: folder)
        let signature = try FileStatus.of(source).signature
        let target = try Descriptor.opened(
            "open",
            openat(newFolder, newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666))
        if !byteclub_clone(target.number, source.number) {
            try FileReader.forEachPiece(of: source) { piece throws(SystemError) in
                try FileWriter.writeAll(piece, to: target)
            }
        }
        if try FileStatus.of(source).signature == signature {
            copied.insert(signature)
            let time = timespec(
                tv_sec: Int(signature.seconds), tv_nsec: Int(signature.nanoseconds))
            // Nothing else is lost if the file system cannot store the time.
            _ = [time, time].withUnsafeBufferPointer { futimens(target.number, $0.baseAddress) }
        }
        try SystemError.check("fsync", fsync(target.number))
    }
}
