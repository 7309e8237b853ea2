internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Cancel and Done.
extension NoteDetailsViewController {
    var cancelLabel: String? {
        if isSaving { return localized("stop saving") }
        return findBar.isHidden ? nil : localized("close find")
    }

    func cancel() {
        if isSaving {
            saving?.cancel()
            return
        }
        guard findBar.isHidden else { return findBar.close(goingBack: false) }
        guard isDirty else { return close() }
        present(
            AlertController(
                title: localized("Save the changes?"),
                message: TextLine(
                    localized("“\(shownName)” has changes that are not in the club yet.")),
                actions: [
                    AlertAction(localized("Save"), key: "s") { [weak self] in
                        self?.save(closing: true)
                    },
                    AlertAction(localized("Discard"), key: "D", kind: .destructive) { [weak self] in
                        self?.close()
                    },
                    AlertAction(localized("Keep as draft"), key: "d") { [weak self] in
                        self?.setAside()
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ], preferred: 3))
    }

    /// Closes the editor; the text stays on this computer until the note is opened again.
    private func setAside() {
        saving = startPending { [self] in
            var (state, name): (UndoHistory.State, String)
            repeat {
                // What is typed while it is written belongs to it.
                (state, name) = (textView.state, document.name)
                if let failure = await document.draft.writeAsSetAside(wholeText) {
                    saving = nil
                    // There may be no further key to try again.
                    didEdit()
                    return alert(localized("Not kept as a draft"), failure)
                }
            } while textView.state != state || document.name != name
            saving = nil
            // Stopped by a key: the editor stays, and so its draft is an ordinary one again.
            if Task.isCancelled { return didEdit() }
            application?.showMessage(
                document.isNew
                    ? localized("Kept as a draft: n opens it again.")
                    : localized("Kept as a draft: it opens with “\(document.name)”."), .success)
            delegate?.noteDetails(
                self, didSetAside: document.draft.leave(), of: document.file?.path)
            leave()
        }
    }

    func done() {
        guard !isSaving else { return }
        if !document.isNew, !isDirty { return close() }
        save(closing: true)
    }

    var shownName: String {
        let name = document.name
        return name.isEmpty
            ? localized("The new note") : name.count > 60 ? name.prefix(59) + "…" : name
    }

    /// Closes the editor and removes the draft: the text was saved or discarded.
    func close() {
        progress.isDiscarded = hasUnsavedText
        document.draft.discard()
        leave()
    }

    private func leave() {
        dismiss { [weak delegate, self] in delegate?.noteDetailsDidClose(self) }
    }

    func save(closing: Bool, mode: NoteDocument.SaveMode = .careful, asCopy: Bool = false) {
        guard !isSaving else { return }
        // Saving would restore a note that another member has deleted: ask first.
        if follower.isDeletedElsewhere, mode.isCareful, !asCopy {
            return askAboutDeletion(closing: closing)
        }
        if progress.mayHaveMarks, mode.isCareful, !asCopy, NoteComparison.hasMarks(textView.buffer)
        {
            return askAboutMarks(closing: closing)
        }
        let (text, state) = (wholeText, textView.state)
        application?.showMessage(localized("Saving “\(shownName)”…"), for: nil)
        saving = startPending { [self] in
            do throws(NoteDocument.SaveFailure) {
                if asCopy {
                    try await document.saveAsCopy(text)
                    // They are another note's.
                    progress.bases = [:]
                } else {
                    try await document.save(text, mode: mode, state: state)
                }
                saving = nil
                didFinishSaving(state, closing: closing)
            } catch {
                saving = nil
                application?.dismissMessage()
                explain(error, closing: closing)
            }
        }
    }

    func didStopSaving() {
        application?.showMessage(localized("Stopped saving. The text is still here."), .warning)
    }

    private func didFinishSaving(_ state: UndoHistory.State, closing: Bool) {
        if document.isWaiting {
            application?.showMessage(
                localized("Kept here; it goes to the club when it is reachable."), .success)
        } else {
            application?.showMessage(localized("“\(document.name)” is in the club."), .success)
        }
        clubHasText(in: state, closing: closing)
    }

    /// The club, or the outbox, has what was typed up to this state.
    func clubHasText(in state: UndoHistory.State, closing: Bool) {
        if let path = document.file?.path { delegate?.noteDetails(self, didSave: path) }
        // The club has the text as it was sent. Keys pressed meanwhile, including undo, are unsaved changes.
        textView.markClean(state)
        progress.isSavedOnce = true
        progress.differsFromBase = false
        // Undone beyond another member's change, the text is still older than the club's.
        if progress.bases.values.contains(where: \.isOutdated) {
            let base = document.base
            progress.bases = progress.bases.mapValues { $0.isOutdated ? $0 : base }
            progress.bases[state] = base
        } else {
            progress.bases = [:]
        }
        // The saved text includes the others' changes.
        panel.trailingTitle = nil
        textView.highlights = []
        title = document.name
        if textView.isDirty {
            didEdit()
        } else if closing {
            close()
        } else {
            document.draft.discard()
            showPlace()
        }
    }

    private func explain(_ failure: NoteDocument.SaveFailure, closing: Bool) {
        switch failure {
        case .badName(let refusal):
            nameField.becomeFirstResponder()
            alert(localized("Invalid name"), "\(refusal)")
        case .nameTaken(let fileName):
            nameField.becomeFirstResponder()
            alert(
                localized("The name is taken"),
                localized(
                    "There is a note named “\(fileName)” already. Give this one another name."))
        case .tooLarge:
            alert(
                localized("Too large for a note"),
                localized(
                    "A note can be \(NoteDocument.byteLimit >> 20) MiB at most. Shorten it, or save the rest as another note."
                )
            )
        case .replacedIsNotKept: explainMissingCopy(closing: closing)
        case .changedMeanwhile:
            if let path = document.file?.path {
                delegate?.noteDetails(self, didFindChangeOf: path)
            }
            resolveConflict(closing: closing)
        case .store(let error) where error.code == .cancelled:
            didStopSaving()
        case .store(let error)
        where document.club.handlers.signInAgain != nil
            && document.club.settings.isFixedBySignIn(error):
            askToSignIn(error, closing: closing)
        case .store(let error):
            let words = document.club.sentence(for: error)
            alert(words.title, words.text + localized(" Your text is still here."))
        }
    }

    /// Saves the note as intended after the sign-in.
    private func askToSignIn(_ error: StoreError, closing: Bool) {
        let words = document.club.sentence(for: error)
        present(
            AlertController(
                title: words.title,
                message: TextLine(words.text + localized(" Your text is still here.")),
                actions: [
                    AlertAction(localized("Sign in"), key: "s") { [weak self] in
                        self?.document.club.handlers.signInAgain? { self?.save(closing: closing) }
                    },
                    AlertAction(localized("Keep editing"), key: "k", kind: .cancel),
                ]))
    }

    func alert(_ title: String, _ sentence: String) {
        present(AlertController(title: title, message: TextLine(sentence)))
    }
}
