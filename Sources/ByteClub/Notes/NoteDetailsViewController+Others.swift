internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

// Changes by other members to the open note.
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
        case .arrived(let state):
            panel.trailingTitle = nil
            if let state { clubHasText(in: state, closing: false) }
            application?.showMessage(
                localized("“\(document.name)” is in the club: what was sent has arrived."), .success
            )
        case .changedElsewhere(let isOwn):
            panel.trailingTitle = TextLine(
                isOwn
                    ? localized("changed on this computer") : localized("changed by someone else"),
                .warning)
        case .deletedElsewhere:
            panel.trailingTitle = TextLine(localized("deleted meanwhile"), .warning)
        case .renamed:
            title = document.name
            showPlace()
            panel.trailingTitle = TextLine(localized("renamed just now"), .secondary)
        case .reload(let text, let change, var base):
            // Undone, it is older than the club's version: saving that must ask.
            base.isOutdated = true
            progress.bases[textView.state] = base
            // The marks of both are not shown; if only one has it, the change is about another place.
            let mark = text.hasByteOrderMark ? TextBuffer.byteOrderMark.count : 0
            let isShown = text.hasByteOrderMark == startText.hasByteOrderMark
            startText = text
            textView.becomeSaved(
                text.withoutByteOrderMark, by: isShown ? change.moved(back: mark) : nil)
            progress.bases[textView.state] = document.base
            panel.trailingTitle = TextLine(localized("updated just now"), .secondary)
            if let path = document.file?.path { delegate?.noteDetails(self, didReload: path) }
        }
    }

    /// Another member has saved the note: offers a merged text if the changes do not conflict.
    func resolveConflict(closing: Bool) {
        let text = wholeText
        application?.showMessage(localized("Saving “\(shownName)”…"), for: nil)
        // Part of saving: Esc stops it, and no other editor takes the text meanwhile.
        saving = startPending { [self] in
            let conflict = await document.conflict(with: text)
            if let file = conflict.file {
                progress.isConflictOwn = await document.club.isOwnWrite(file)
            }
            saving = nil
            application?.dismissMessage()
            if Task.isCancelled { return didStopSaving() }
            switch conflict {
            case .mergeable(let merge): offer(merge, closing: closing)
            case .contradictory(let file): askAboutConflict(with: file, closing: closing)
            case .gone: askAboutDeletion(closing: closing)
            case .unknown: askAboutConflict(with: nil, closing: closing)
            }
        }
    }

    /// Who changed the note, as the title of the question.
    var conflictTitle: String {
        progress.isConflictOwn
            ? localized("Changed on this computer") : localized("Changed by someone else")
    }

    private func offer(_ merge: NoteDocument.Merge, closing: Bool) {
        let lines = merge.incoming.reduce(0) { $0 + $1.count }
        let what = [
            lines == 0
                ? nil
                : lines == 1 ? localized("1 line added") : localized("\(lines) lines added"),
            merge.removedLineCount == 0
                ? nil
                : merge.removedLineCount == 1
                    ? localized("1 line removed")
                    : localized("\(merge.removedLineCount) lines removed"),
        ].compactMap { $0 }.joined(separator: ", ")
        present(
            AlertController(
                title: conflictTitle,
                message: TextLine(
                    localized(
                        "“\(document.name)” was changed in the club after you opened it. Your changes and "
                            + "theirs fit together\(what.isEmpty ? "" : ": \(what)"). Nothing is lost: both "
                            + "texts stay among the note's versions.")),
                actions: [
                    AlertAction(localized("Merge"), key: "m") { [weak self] in
                        self?.take(merge, closing: closing)
                    },
                    AlertAction(localized("Keep both"), key: "b") { [weak self] in
                        self?.save(closing: closing, asCopy: true)
                    },
                    replaceAction(merge.file, closing: closing),
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 0))
    }

    /// Takes a merged text as a normal edit: it can be undone and changed, and Done saves it.
    private func take(_ merge: NoteDocument.Merge, closing: Bool) {
        // What was typed since then is not in it.
        guard wholeText == merge.mine else { return resolveConflict(closing: closing) }
        let old = textView.buffer
        let caret = textView.selectedRange.upperBound
        takeBase(merge.file, merge.theirs, becoming: merge.merged)
        let buffer = textView.buffer
        // The caret stays in the text being typed.
        textView.moveCaret(toOffset: merge.place(of: caret, in: old, merged: buffer))
        func start(_ line: Int) -> Int {
            line < buffer.lineCount ? buffer.start(ofLine: line) : buffer.count
        }
        // Highlights the merged lines, so that they are seen before saving. They are not selected: the next
        // key would replace them.
        textView.highlights = merge.incoming.map {
            TextHighlight(start($0.lowerBound)..<start($0.upperBound), .match)
        }.filter { !$0.range.isEmpty }
        guard !merge.incoming.isEmpty else { return }
        application?.showMessage(
            merge.incoming.count == 1
                ? localized("Merged. Their changes are highlighted; save after checking them.")
                : localized(
                    "Merged. Their changes are highlighted in \(merge.incoming.count) places; save after checking them."
                ), .success, for: .seconds(15))
    }
}

extension NoteDocument.Merge {
    /// The offset in the merged text of an offset in the own text: the same line, moved by the merged lines.
    func place(of offset: Int, in own: TextBuffer, merged: TextBuffer) -> Int {
        let ownLine = own.line(at: offset)
        var line = ownLine
        for lines in incoming where lines.lowerBound <= line { line += lines.count }
        let range = own.range(ofLine: ownLine)
        if line < merged.lineCount {
            let there = merged.range(ofLine: line)
            if merged.bytes(in: there) == own.bytes(in: range) {
                return there.lowerBound + offset - range.lowerBound
            }
        }
        // Lines were removed, too: use the common prefix and suffix.
        return own.replacement(toBecome: merged)?.place(offset) ?? offset
    }
}
