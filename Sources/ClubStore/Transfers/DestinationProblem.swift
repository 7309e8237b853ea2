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

    /// - Parameter code: `errno` of the call that has failed.
    init(_ code: CInt) {
        self =
            switch code {
            case EEXIST, ENOTEMPTY: .isThere
            case EISDIR: .isFolder
            case ENOENT, ENOTDIR: .hasNoFolder
            case ENAMETOOLONG: .nameTooLong
            case EINVAL, EILSEQ: .nameRefused
            case EACCES, EPERM, EROFS: .forbidden
            case ENOSPC, EDQUOT: .diskFull
            default: .other
            }
    }
}
