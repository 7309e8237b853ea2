internal import ClubLibrary
internal import ClubStore
internal import Messages
internal import TerminalUI

/// Texts that did not reach the club in an earlier run.
extension AppCoordinator {
    func offerDrafts() {
        let session = session
        Task {
            await session.findDrafts()
            if session === self.session { offerNextDraft() }
        }
    }

    /// What earlier runs have left unsaved: one after the other, each when the person is at the lists.
    func offerNextDraft() {
        guard application.topViewController === tabBarController,
            let draft = session.takeWaitingDraft()
        else { return }
        let notes = session.notes
        notes.present(
            AlertController(
                title: localized("An unsaved note was kept"),
                message: TextLine(
                    localized(
                        "The text of \(draft.shownName) did not reach the club last time. It is safe here: \(draft.summary)."
                    )),
                actions: [
                    AlertAction(localized("Open it"), key: "o") { notes.resume(draft) },
                    AlertAction(localized("Later"), key: "l", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                    AlertAction(localized("Delete it…"), key: "D", kind: .destructive) {
                        [weak self] in
                        notes.askToDelete(draft) { self?.offerNextDraft() }
                    },
                ]))
    }
}
