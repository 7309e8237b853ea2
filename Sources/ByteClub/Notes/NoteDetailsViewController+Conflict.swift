internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import Messages
internal import TerminalUI
internal import TextEditing

/// A note that somebody else has changed meanwhile: both versions, and the choice between them.
extension NoteDetailsViewController {
    func askAboutConflict(closing: Bool) {
        present(
            AlertController(
                title: localized("Changed by someone else"),
                message: TextLine(
                    localized(
                        """
                        “\(document.name)” was changed in the club after you opened it. \
                        Nothing is lost yet: keep both, or replace the other version with yours.
                        """)),
                actions: [
                    AlertAction(localized("Compare"), key: "c") { [weak self] in
                        self?.compare(closing: closing)
                    },
                    AlertAction(localized("Keep both"), key: "b") { [weak self] in
                        self?.save(closing: closing, asCopy: true)
                    },
                    AlertAction(localized("Replace"), key: "r", kind: .destructive) { [weak self] in
                        self?.save(closing: closing, mode: .replacing)
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 1))
    }

    /// Shows how the two versions differ, and asks again.
    private func compare(closing: Bool) {
        let text = wholeText
        present(
            WaitingViewController(
                title: localized("Compare"),
                sentence: localized("Fetching the other version of “\(document.name)”…"),
                didGiveUp: { [weak self] in self?.askAboutConflict(closing: closing) }
            ) { [weak self, document] in
                do throws(StoreError) {
                    let comparison = try await document.comparison(with: text)
                    return { wasGivenUp in
                        guard let self, !wasGivenUp else { return }
                        self.present(
                            NoteComparisonViewController(name: document.name, text: comparison) {
                                [weak self] in self?.askAboutConflict(closing: closing)
                            })
                    }
                } catch {
                    let words = document.club.sentence(for: error)
                    return { wasGivenUp in
                        if !wasGivenUp {
                            self?.alert(
                                words.title, words.text + localized(" Your text is still here."))
                        }
                    }
                }
            })
    }
}
