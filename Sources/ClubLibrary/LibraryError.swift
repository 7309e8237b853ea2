internal import Messages

/// Why the local copy could not do what it was asked.
public enum LibraryError: Error, Hashable, CustomStringConvertible {
    /// A newer Byte Club has written it.
    case newer(version: Int64)
    /// The file is damaged.
    case damaged
    /// Another program has it, and does not let go.
    case locked
    /// Nothing can be written there; with the reason.
    case unwritable(String)
    /// It is kept in memory alone, and would be gone with the program.
    case notDurable
    /// There is no such change waiting, or it is on its way right now.
    case noSuchChange

    public var description: String {
        switch self {
        case .newer:
            localized("A newer version of Byte Club has written the local copy of this club.")
        case .damaged: localized("The local copy of this club is damaged.")
        case .locked: localized("Another program keeps the local copy of this club locked.")
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
