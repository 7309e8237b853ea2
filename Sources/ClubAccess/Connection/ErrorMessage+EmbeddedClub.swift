internal import ClubStore
internal import ByteClubMessages

// Errors of the club on this computer.

extension ErrorMessage {
    static func text(of error: EmbeddedClubError) -> String {
        switch error {
        case .noRuntimeFolder(let sentence), .tooManyOpenFiles(let sentence):
            sentence
        case .lostFolder(let folder):
            EmbeddedClubError.lostFolderSentence(folder)
        case .programNotStarted(let reason):
            localized(
                "The club on this computer could not be started: \(reason). Install Byte Club again if "
                    + "its program was moved or replaced.")
        case .closedFolder(let folder, let reason):
            localized(
                "The club on this computer could not be started: nothing can be written in the folder "
                    + "\(folder): \(reason). Check whose it is and who may write there, or have XDG_DATA_HOME, "
                    + "XDG_STATE_HOME and XDG_CACHE_HOME name other places.")
        case .serverNotReady(let log):
            localized("The club on this computer could not be started. What it said is in \(log).")
        case .folderServedElsewhere(let folder):
            localized(
                "Another Byte Club has the folder \(folder) open and does not answer. Try again in a "
                    + "moment, or close it.")
        }
    }

    /// Nil if it makes no difference.
    static func embeddedText(of error: StoreError) -> String? {
        switch error.code {
        case .offline, .serverUnavailable:
            localized(
                "The club on this computer is not answering. It is being started again: try again in a "
                    + "moment.")
        case .timedOut:
            localized(
                "The club on this computer takes very long to answer. Try again when the computer is less busy."
            )
        case .serverError:
            localized(
                "The club on this computer could not use its folder. Check that the disk is there and has "
                    + "room, and try again.")
        case .badAnswer:
            localized(
                "The answer of the club on this computer was not understood. Quit Byte Club and start it again."
            )
        case .overQuota:
            localized(
                "The disk that the club lives on is full. Make some room on it and try again.")
        case .unauthorized:
            localized(
                "The club on this computer does not know this Byte Club. Quit it and start it again."
            )
        case .forbidden:
            localized(
                "The club's folder on this computer does not let you do that. Check whose it is, and "
                    + "who may write to it.")
        default: nil
        }
    }
}
