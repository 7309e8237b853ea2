internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

// What is said when a transfer has ended.

extension PhotosViewController: TransferObserver {
    func transfersDidChange(_ center: TransferCenter) {}

    func transferDidEnd(_ item: TransferItem, in center: TransferCenter) {
        switch (item.order.direction, item.state) {
        case (.upload, .done):
            guard let path = item.status.path.flatMap({ try? RemotePath(validating: $0) }) else {
                return
            }
            _ = startPending { [self] in
                if let file = await uploaded(item, at: path) { memory.see([file]) }
                files.pathToSelect = path
                files.reload()
                showUploadSentence(path.name)
            }
            askForAccountAfterUploads()
        case (.download, .done):
            showDownloadSentence(item)
        case (let direction, .failed):
            if direction == .upload { askForAccountAfterUploads() }
            // The view on the screen shows the failure.
            guard item.id != uploadInSight,
                !(application?.topViewController is TransfersViewController)
            else { return }
            application?.showMessage(
                localized("“\(item.shownName)” failed: w shows why, and tries again."), .warning,
                for: .seconds(20))
        default: break
        }
    }
}

extension PhotosViewController {
    /// The photo of an upload. The club is asked only if it has not reported it yet.
    private func uploaded(_ item: TransferItem, at path: RemotePath) async -> RemoteFile? {
        if let known = club.contents[path], known.revision.rawValue == item.status.revision {
            return known
        }
        return await club.look(at: path)
    }

    /// Once for all that were sent together: each question is two requests.
    private func askForAccountAfterUploads() {
        if uploadsLeft == 0 { club.askForAccountAgain() }
    }

    private var uploadsLeft: Int {
        transfers.wantedItems.count { $0.order.direction == .upload }
    }

    private func showDownloadSentence(_ item: TransferItem) {
        let done = transfers.ran(.download, .done)
        let folders = Set(done.map(\.folderWords))
        let sentence = EndedTransfers.sentence(
            forDownloadOf: item.fileName, in: item.folderWords, count: done.count,
            isOneFolder: folders.count < 2)
        application?.showMessage(sentence, .success)
    }

    private func showUploadSentence(_ name: String) {
        let failureCount = transfers.count(.upload, .failed)
        let sentence = EndedTransfers.sentence(
            forUploadOf: name, count: transfers.count(.upload, .done), left: uploadsLeft,
            failed: failureCount)
        application?.showMessage(sentence, failureCount == 0 ? .success : .warning)
    }
}

extension TransferItem {
    /// The name on this computer, which may differ from the name in the club.
    fileprivate var fileName: String { URL(filePath: order.file).lastPathComponent }

    /// `~/Pictures`.
    fileprivate var folderWords: String {
        let folder = URL(filePath: order.file).deletingLastPathComponent().path
        guard folder != TypedPath.home else { return localized("your home folder") }
        return TypedPath.shown(folder)
    }
}
