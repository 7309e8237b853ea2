internal import ByteClubMessages

/// Why the club on this computer could not be opened.
///
/// The `underlying` error of a `StoreError` with the operation `connect`; ``ErrorMessage``
/// describes it.
public enum EmbeddedClubError: Error, Hashable, Sendable {
    /// There is no safe place for the club's socket. The sentence says why and what to do.
    case noRuntimeFolder(String)

    /// The club's folder is missing, although a server has had it open. A new one would look like the loss of every note.
    case lostFolder(String)

    /// The program could not be run again as the server.
    case programNotStarted(reason: String)

    /// A folder that the club needs is not writable.
    case closedFolder(folder: String, reason: String)

    /// The server exited, or did not get ready. Its messages are in the log.
    case serverNotReady(log: String)

    /// Another program serves the folder, at another socket.
    case folderServedElsewhere(folder: String)

    /// The limit of open files is too low. The sentence says how many are needed, and what to do.
    case tooManyOpenFiles(String)
}

extension EmbeddedClubError {
    static func lostFolderSentence(_ folder: String) -> String {
        localized(
            "The folder of the club on this computer is missing: \(folder). Mount its disk, or move the folder back. To begin with an empty one, run byteclub --club embedded on a terminal once."
        )
    }
}
