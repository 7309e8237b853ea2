internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import Messages
internal import TerminalUI
internal import TextEditing

// What other members do to the note that is open.
extension NoteDetailsViewController {
    func makeFollower() -> NoteFollower {
        NoteFollower(
            document,
            isDirty: { [weak self] in self.map { $0.isDirty || $0.isSaving } ?? false },
            didHear: { [weak self] in self?.didHear($0) })
    }

    private func didHear(_ news: NoteFollower.News) {
        switch news {
        case .upToDate: panel.trailingTitle = nil
        case .changedElsewhere:
            panel.trailingTitle = TextLine(localized("changed by someone else"), .warning)
        case .deletedElsewhere:
            panel.trailingTitle = TextLine(localized("deleted by someone else"), .warning)
        case .renamed:
            title = document.name
            showPlace()
            panel.trailingTitle = TextLine(localized("renamed just now"), .secondary)
        case .reload(let text, let shift):
            let mark = text.hasByteOrderMark ? TextBuffer.byteOrderMark.count : 0
            let caret = shift.place(textView.selectedRange.upperBound + mark) - mark
            let text = text.withoutByteOrderMark
            textView.load(text)
            let place = text.clusterBoundary(atOrBefore: min(max(0, caret), text.count))
            textView.select(place..<place)
            panel.trailingTitle = TextLine(localized("updated just now"), .secondary)
        }
    }

    /// Somebody else has saved the note since: offers one text of both where they fit together.
    func settleConflict(closing: Bool) {
        let text = wholeText
        _ = startPending { [self] in
            switch await document.conflict(with: text) {
            case .mergeable(let merge) where wholeText == text: offer(merge, closing: closing)
            case .mergeable(let merge): askAboutConflict(with: merge.file, closing: closing)
            case .contradictory(let file): askAboutConflict(with: file, closing: closing)
            case .gone: askAboutDeletion(closing: closing)
            case .unknown: askAboutConflict(with: nil, closing: closing)
            }
        }
    }

    private func offer(_ merge: NoteDocument.Merge, closing: Bool) {
        let lines = merge.incoming.reduce(0) { $0 + $1.count }
        let what = [
            lines == 0
                ? nil
                : lines == 1 ? localized("1 line came in") : localized("\(lines) lines came in"),
            merge.removedLineCount == 0
                ? nil
                : merge.removedLineCount == 1
                    ? localized("1 line went away")
                    : localized("\(merge.removedLineCount) lines went away"),
        ].compactMap { $0 }.joined(separator: ", ")
        present(
            AlertController(
                title: localized("Changed by someone else"),
                message: TextLine(
                    localized(
                        "“\(document.name)” was changed in the club after you opened it. Your changes and "
                            + "theirs fit together\(what.isEmpty ? "" : ": \(what)"). Nothing is lost: both "
                            + "texts stay among the note's versions.")),
                actions: [
                    AlertAction(localized("Merge"), key: "m") { [weak self] in self?.take(merge) },
                    AlertAction(localized("Keep both"), key: "b") { [weak self] in
                        self?.save(closing: closing, asCopy: true)
                    },
                    replaceAction(merge.file, closing: closing),
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 0))
    }

    /// As one edit, which can be undone.
    func replaceText(with text: TextBuffer) {
        textView.select(0..<textView.buffer.count)
        let text = text.withoutByteOrderMark
        _ = textView.paste(text.string(in: 0..<text.count))
    }

    /// The merged text is an edit like any other: it can be undone, changed, and is saved by Done.
    private func take(_ merge: NoteDocument.Merge) {
        document.adopt(merge.file, text: merge.theirs)
        replaceText(with: merge.merged)
        panel.trailingTitle = nil
        guard let first = merge.incoming.first else { return }
        let buffer = textView.buffer
        func start(_ line: Int) -> Int {
            line < buffer.lineCount ? buffer.start(ofLine: line) : buffer.count
        }
        // What came in is selected, so that it is seen before it is saved.
        textView.select(start(first.lowerBound)..<start(first.upperBound))
        let more = merge.incoming.count - 1
        application?.showMessage(
            localized(
                "Merged. What came in is selected\(more == 0 ? "" : localized(", and in \(more) more places")); save when it "
                    + "reads well."), .success, for: .seconds(15))
    }
}
