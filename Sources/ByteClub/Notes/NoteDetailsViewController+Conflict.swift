internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Conflicts with another member's change: both versions, and the choice between them.
extension NoteDetailsViewController {
    /// - Parameter other: The club's version if known: only that one may be replaced. If a third version is
    ///   saved meanwhile, the question is asked again.
    func askAboutConflict(with other: RemoteFile?, closing: Bool) {
        var actions = [
            AlertAction(localized("Compare"), key: "c") { [weak self] in
                self?.compare(with: other, closing: closing)
            },
            AlertAction(localized("Keep both"), key: "b") { [weak self] in
                self?.save(closing: closing, asCopy: true)
            },
        ]
        if let other { actions.append(replaceAction(other, closing: closing)) }
        actions.append(AlertAction(localized("Keep editing"), key: "k", kind: .cancel))
        let message =
            other == nil
            ? localized(
                """
                “\(document.name)” was changed in the club after you opened it. \
                Nothing is lost: keep both, or compare them first.
                """)
            : localized(
                """
                “\(document.name)” was changed in the club after you opened it. \
                Nothing is lost: keep both, or replace the other version with yours.
                """)
        present(
            AlertController(
                title: conflictTitle, message: TextLine(message),
                actions: actions, preferred: 1))
    }

    /// If a note of that name is created meanwhile, the question about two versions is asked.
    func askAboutDeletion(closing: Bool) {
        present(
            AlertController(
                title: localized("Deleted meanwhile"),
                message: TextLine(
                    localized(
                        """
                        “\(document.name)” was deleted in the club after you opened it. \
                        Your text is still here.
                        """)),
                actions: [
                    AlertAction(localized("Save it again"), key: "s") { [weak self] in
                        self?.save(closing: closing, mode: .restoring)
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 0))
    }

    /// The text was made to be edited: with the marks in it everybody would read them.
    func askAboutMarks(closing: Bool) {
        present(
            AlertController(
                title: localized("The marks are still there"),
                message: TextLine(
                    localized(
                        "“\(document.name)” still has the lines that mark both versions (\(NoteComparison.marks.mine)). Save it like this?"
                    )),
                actions: [
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                    AlertAction(localized("Save with marks"), key: "s") { [weak self] in
                        self?.progress.mayHaveMarks = false
                        self?.save(closing: closing)
                    },
                ]))
    }

    /// The other version would be lost: it is not replaced.
    func explainMissingCopy(closing: Bool) {
        present(
            AlertController(
                title: localized("Not replaced"),
                message: TextLine(
                    localized(
                        "The other version of “\(document.name)” can be kept nowhere: this computer's disk is full, or may not be written to. Make room and try again, or keep both. Your text is still here."
                    )),
                actions: [
                    AlertAction(localized("Keep both"), key: "b") { [weak self] in
                        self?.save(closing: closing, asCopy: true)
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 0))
    }

    func replaceAction(_ other: RemoteFile, closing: Bool) -> AlertAction {
        AlertAction(localized("Replace"), key: "r", kind: .destructive) { [weak self] in
            self?.save(closing: closing, mode: .replacing(other))
        }
    }

    /// Shows the differences and the ways to continue.
    private func compare(with other: RemoteFile?, closing: Bool) {
        let text = wholeText
        present(
            WaitingViewController(
                title: localized("Compare"),
                sentence: localized("Fetching the other version of “\(document.name)”…"),
                didGiveUp: { [weak self] in self?.askAboutConflict(with: other, closing: closing) }
            ) { [weak self, document] in
                do throws(StoreError) {
                    let comparison = try await document.comparison(with: text)
                    return { wasGivenUp in
                        if !wasGivenUp { self?.show(comparison, closing: closing) }
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

    private func show(_ comparison: NoteDocument.Comparison, closing: Bool) {
        present(
            NoteComparisonViewController(
                name: document.name, page: comparison.differences,
                canEditBoth: comparison.both != nil
            ) { [weak self] choice in
                switch choice {
                case .back: self?.askAboutConflict(with: comparison.file, closing: closing)
                case .keepBoth: self?.save(closing: closing, asCopy: true)
                case .replace: self?.save(closing: closing, mode: .replacing(comparison.file))
                case .editBoth: self?.takeBoth(comparison, closing: closing)
                }
            })
    }

    /// Takes both texts, with conflict markers, as a normal edit that Done saves.
    private func takeBoth(_ comparison: NoteDocument.Comparison, closing: Bool) {
        guard let both = comparison.both else { return }
        guard wholeText == comparison.mine else {
            return compare(with: comparison.file, closing: closing)
        }
        takeBase(comparison.file, comparison.theirs, becoming: both)
        progress.mayHaveMarks = true
        let buffer = textView.buffer
        let first = (0..<buffer.lineCount).lazy.map { buffer.range(ofLine: $0) }.first {
            buffer.string(in: $0) == NoteComparison.marks.mine
        }
        if let first { textView.select(first) }
        application?.showMessage(
            localized(
                "Where they differ, yours is first, then theirs. Remove one, and the marks."
            ), for: .seconds(15))
    }
}
