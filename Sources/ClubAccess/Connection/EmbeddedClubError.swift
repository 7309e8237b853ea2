/// Why the club on this computer could not be opened.
///
/// It comes as the `underlying` of a `StoreError` with the operation `connect`;
/// ``ErrorMessage`` words it.
public enum EmbeddedClubError: Error, Hashable, Sendable {
    /// There is no safe place for the club's socket. The sentence says why, and what to do.
    case noMeetingPlace(String)

    /// The program could not be run again as the server.
    case programNotStarted(reason: String)

    /// Nothing can be written in a folder that the club needs.
    case closedFolder(folder: String, reason: String)

    /// The server ended, or did not get ready. What it said is in the log.
    case serverNotReady(log: String)

    /// Another program serves the folder already, and not where this one looks for it.
    case folderServedElsewhere(folder: String)
}
