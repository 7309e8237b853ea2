internal import ByteClubMessages

/// An error of the local copy.
public enum LibraryError: Error, Hashable, CustomStringConvertible {
    /// Written by a newer version of Byte Club.
    case newer(version: Int64)
    /// The file is damaged.
    case damaged
    /// Another program holds the lock; one that was stopped does so until it is continued or ended.
    case locked
    /// Not writable; with the reason.
    case unwritable(String)
    /// The copy is in memory and would be lost with the process.
    case notDurable
    /// The change does not exist, or is being sent.
    case noSuchChange

    public var description: String {
        switch self {
        case .newer:
            localized("A newer version of Byte Club has written the local copy of this club.")
        case .damaged: localized("The local copy of this club is damaged.")
        case .locked:
            localized(
                "Another program keeps the local copy of this club locked. If it is a Byte Club that was stopped with ^Z, continue it with fg in its shell, or end it."
            )
        case .unwritable(let reason):
            localized("The local copy of this club cannot be written: \(reason).")
        case .notDurable:
            localized("The local copy of this club cannot be written, so nothing can wait in it.")
        case .noSuchChange:
            localized("There is no such change: it was sent, is being sent, or never existed.")
        }
    }

    init(_ error: DatabaseError) {
        self =
            error.isDamage
            ? .damaged : error.isBusy ? .locked : .unwritable(error.detail)
    }
}
