internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// A refresh requested by the user, whose result is shown.
struct AwaitedRefresh {
    /// The listing count when it was requested.
    let listingCount: Int
    let contents: ClubContents
}

extension FileList {
    /// Lists the club again and shows the result.
    func refresh() {
        awaitedRefresh = AwaitedRefresh(
            listingCount: club.listingCount, contents: club.contents)
        owner?.application?.showMessage(localized("Looking for changes…"), for: nil)
        delegate?.fileListWillRefresh(self)
        club.refresh()
    }

    /// Called for each change of the club.
    func finishRefresh() {
        guard let awaited = awaitedRefresh else { return }
        if club.listingCount > awaited.listingCount {
            awaitedRefresh = nil
            let contents = club.contents
            _ = owner?.startPending { [weak self] in
                let changes = await ClubChanges.make(from: awaited.contents, to: contents)
                self?.owner?.application?.showMessage(changes.sentence, .success)
            }
        } else if case .failed(let error) = club.connection {
            awaitedRefresh = nil
            let words = club.sentence(for: error)
            owner?.application?.showMessage("\(words.title). \(words.text)", .warning)
        }
    }
}
