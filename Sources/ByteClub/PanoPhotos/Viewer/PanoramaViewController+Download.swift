internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

// Downloading the photo, and showing the downloaded file instead of a preview.

extension PanoramaViewController: TransferObserver {
    func transfersDidChange(_ center: TransferCenter) {
        if waitForDownload() == .notWaiting, picture != nil { showInfo() }
    }

    enum DownloadWait {
        case waiting
        case notWaiting
    }

    /// A photo that is being downloaded is not fetched a second time for its preview. One whose download has stopped
    /// is fetched again.
    func waitForDownload() -> DownloadWait {
        let item = transfer(of: photo)
        // One that waits for others may wait for long.
        guard let item, item.state == .running else {
            if info.waitsForDownload, item?.state != .done { load() }
            return .notWaiting
        }
        if info.fetched != nil {
            loading?.cancel()
            (info.fetched, info.waitsForDownload) = (nil, true)
        }
        guard info.waitsForDownload else { return .notWaiting }
        if picture == nil {
            showPlaceholder("\(item.arrow) \(item.words(at: Date()))")
        } else {
            showInfo()
        }
        return .waiting
    }

    func transferDidEnd(_ item: TransferItem, in center: TransferCenter) {
        guard item.state == .done, item.order.path == photo.path.string,
            picture?.isOriginal != true
        else { return }
        load()
    }

    func transfer(of photo: RemoteFile) -> TransferItem? {
        transfers.items.last {
            $0.order.direction == .download && $0.order.path == photo.path.string
        }
    }

    /// The downloaded file of the photo's current revision.
    func downloadedFile(of photo: RemoteFile) -> URL? {
        let item = transfers.items.last {
            $0.order.direction == .download && $0.state == .done
                && $0.order.path == photo.path.string
                && $0.status.revision == photo.revision.rawValue
        }
        return item.map { URL(filePath: $0.order.file) }
    }

    var downloadReason: String? {
        if info.isGone { return localized("It is no longer in the club.") }
        guard let item = transfer(of: photo) else { return nil }
        if item.isWanted { return localized("It is being downloaded.") }
        return nil
    }

    func download() {
        PhotoDownloads(center: transfers, settings: settings, owner: self).begin([photo])
    }
}
