internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// Texts from an earlier run that were not saved in the club.
extension AppCoordinator {
    func offerDrafts() {
        let session = session
        Task {
            await session.findDrafts()
            if session === self.session { offerNextDraft() }
        }
    }

    /// Offers drafts of earlier runs one by one, each while a list is in front.
    func offerNextDraft() {
        guard application.topViewController === tabBarController,
            let draft = session.takeWaitingDraft()
        else { return }
        let notes = session.notes
        let moreCount = session.waitingDraftCount
        notes.present(
            AlertController(
                title: moreCount == 0
                    ? localized("An unsaved note was kept")
                    : localized("An unsaved note was kept · \(moreCount) more"),
                message: TextLine(
                    localized(
                        "The text of \(draft.shownName) did not reach the club last time. It is safe here: \(draft.summary)."
                    )),
                // On the smallest screens: which note it is, and what of it.
                shortMessage: TextLine("\(draft.shownName): \(draft.summary)"),
                actions: [
                    AlertAction(localized("Open it"), key: "o") { notes.resume(draft) },
                    AlertAction(localized("Later"), key: "l", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                ]
                    + (moreCount == 0
                        ? []
                        : [
                            AlertAction(localized("All later"), key: "a") { [weak self] in
                                self?.session.postponeWaitingDrafts()
                            }
                        ])
                    + [
                        AlertAction(localized("Delete it…"), key: "D", kind: .destructive) {
                            [weak self] in
                            notes.askToDelete(draft) { self?.offerNextDraft() }
                        }
                    ]))
    }
}
