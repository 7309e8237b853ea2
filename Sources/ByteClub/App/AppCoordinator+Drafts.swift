internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Messages
internal import TerminalUI
internal import TextEditing

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
        let (notes, drafts) = (session.notes, session.drafts)
        let name = draft.name.isEmpty ? localized("a new note") : "“\(draft.name)”"
        notes.present(
            AlertController(
                title: localized("An unsaved note was kept"),
                message: TextLine(
                    localized(
                        "The text of \(name) did not reach the club last time. It is safe here: \(Self.summary(of: draft))."
                    )),
                actions: [
                    AlertAction(localized("Open it"), key: "o") { notes.resume(draft) },
                    AlertAction(localized("Later"), key: "l", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                    AlertAction(localized("Delete it…"), key: "D", kind: .destructive) {
                        [weak self] in
                        self?.askToDelete(draft, named: name, from: drafts)
                    },
                ]))
    }

    /// It may be the only copy there is.
    private func askToDelete(_ draft: Draft, named name: String, from drafts: DraftStore) {
        session.notes.present(
            AlertController(
                title: localized("Delete this text?"),
                message: TextLine(
                    localized(
                        "The text of \(name) is nowhere else, and cannot be brought back: \(Self.summary(of: draft))."
                    )),
                actions: [
                    AlertAction(localized("Keep it"), key: "k", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                    AlertAction(localized("Delete"), key: "D", kind: .destructive) { [weak self] in
                        drafts.remove(draft.id)
                        self?.session.notes.setAside.reload()
                        self?.application.showMessage(localized("The unsaved text was deleted."))
                        self?.offerNextDraft()
                    },
                ]))
    }

    /// `“Dear all, we meet…”, 1.2 KB, 3 h ago`.
    private static func summary(of draft: Draft) -> String {
        let start = String(decoding: draft.text.prefix(400), as: UTF8.self)
        let line = start.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
        let words =
            line.map { $0.count > 40 ? "“\($0.prefix(39))…”" : "“\($0)”" } ?? localized("empty")
        let age = Wording.age(of: draft.savedAt, at: Date())
        return "\(words), \(Wording.byteCount(Int64(draft.text.count))), \(age)"
    }
}
