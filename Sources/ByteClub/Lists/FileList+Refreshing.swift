internal import ClubAccess
internal import ClubStore
internal import Messages
internal import TerminalUI

/// A refresh that the person has asked for and wants to hear of.
struct AwaitedRefresh {
    /// How often the club had been listed before.
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

    /// Called at each change of the club.
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
