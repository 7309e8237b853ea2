internal import Glibc

/// Why a download cannot be put where it is wanted; beneath `.fileUnwritable`.
///
/// The raw values are in files: they stay as they are.
public enum DestinationProblem: String, Error, Hashable, Sendable {
    /// There is a file, and it may not be replaced.
    case isThere
    case isFolder
    case hasNoFolder
    case nameTooLong
    /// The file system does not allow the name.
    case nameRefused
    case forbidden
    case diskFull
    case other

    /// - Parameters:
    ///   - code: `errno` of the call that has failed.
    ///   - path: The file that it was to make or change.
    init(_ code: CInt, at path: String) {
        self =
            switch code {
            case EEXIST, ENOTEMPTY: .isThere
            case EISDIR: .isFolder
            // `/proc` is there, and makes no files.
            case ENOENT where Self.hasFolder(path): .forbidden
            case ENOENT, ENOTDIR: .hasNoFolder
            case ENAMETOOLONG: .nameTooLong
            case EINVAL, EILSEQ: .nameRefused
            case EACCES, EPERM, EROFS: .forbidden
            case ENOSPC, EDQUOT: .diskFull
            default: .other
            }
    }

    private static func hasFolder(_ path: String) -> Bool {
        let folder = path.splitAtLastSlash.map { $0.folder + "/" } ?? "."
        var status = stat()
        return stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
