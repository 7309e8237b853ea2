internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

// MARK: - Drafts that wait

extension NotesViewController {
    /// Opens an empty editor; asks first if there is a draft of a new note, or of one that is gone.
    func newNote() {
        guard setAside.hasOneWithoutNote else { return editNewNote() }
        _ = startPending { [self] in
            let top = application?.topViewController
            let waiting = await setAside.drafts(of: nil)
            guard let draft = waiting.first else { return editNewNote() }
            // Another key has opened something meanwhile.
            guard application?.topViewController === top else { return }
            present(
                AlertController(
                    title: waiting.count == 1
                        ? localized("A draft is waiting")
                        : localized("A draft is waiting · \(waiting.count - 1) more"),
                    message: TextLine(Self.description(of: draft)),
                    actions: [
                        AlertAction(localized("Open it"), key: "o") { [weak self] in
                            self?.resume(draft)
                        },
                        AlertAction(localized("New note"), key: "n") { [weak self] in
                            self?.editNewNote()
                        },
                        AlertAction(localized("Delete it…"), key: "D", kind: .destructive) {
                            [weak self] in
                            self?.askToDelete(draft)
                        },
                        AlertAction(localized("Cancel"), kind: .cancel),
                    ]))
        }
    }

    private static func description(of draft: Draft) -> String {
        if draft.path != nil {
            return localized(
                "“\(draft.name)” is no longer in the club. What you wrote in it was kept as a draft: \(draft.summary)."
            )
        }
        return draft.name.isEmpty
            ? localized("A new note without a name was kept as a draft: \(draft.summary).")
            : localized("The new note “\(draft.name)” was kept as a draft: \(draft.summary).")
    }

    /// Asks for confirmation: it may be the only copy.
    ///
    /// - Parameter then: Called when the question was answered.
    func askToDelete(_ draft: Draft, then: @escaping @MainActor () -> Void = {}) {
        present(
            AlertController(
                title: localized("Delete this text?"),
                message: TextLine(
                    localized(
                        "The text of \(draft.shownName) is nowhere else, and cannot be brought back: \(draft.summary)."
                    )),
                actions: [
                    AlertAction(localized("Keep it"), key: "k", kind: .cancel, handler: then),
                    AlertAction(localized("Delete"), key: "D", kind: .destructive) { [weak self] in
                        self?.delete(draft, then: then)
                    },
                ]))
    }

    /// Another window may have resumed or changed it meanwhile.
    private func delete(_ draft: Draft, then: @escaping @MainActor () -> Void) {
        _ = startPending { [self] in
            let removal = await Self.remove(draft, from: drafts)
            setAside.reload()
            switch removal {
            case .removed:
                application?.showMessage(localized("The unsaved text was deleted."))
                then()
            case .inUse:
                application?.showMessage(
                    localized("Another Byte Club has taken it up meanwhile."), .warning)
                then()
            case .changed(let draft): askToDelete(draft, then: then)
            }
        }
    }

    @concurrent private nonisolated static func remove(
        _ draft: Draft, from drafts: DraftStore
    ) async -> DraftStore.Removal {
        drafts.remove(draft)
    }

    /// Opens the draft of a note if there is one; else calls `fetch`.
    ///
    /// - Parameter hit: The match in the club's version.
    func openDraft(
        of note: RemoteFile, at hit: NoteHit?, externally: Bool,
        else fetch: @escaping @MainActor () -> Void
    ) {
        guard setAside.paths.contains(note.path.string) else { return fetch() }
        let earlier = lastOpening
        opening = startPending { [self] in
            await earlier?.value
            let waiting = await setAside.drafts(of: note.path).first
            guard !Task.isCancelled else { return }
            let found =
                if let waiting {
                    await Self.claimInBackground(waiting.id, in: drafts)
                } else {
                    Claimed.gone
                }
            let line =
                if let hit { await hit.line(in: found.draft?.text ?? Data()) } else { Int?.none }
            if !Task.isCancelled { opening = nil }
            // If something else was opened meanwhile, it stays in front.
            guard !Task.isCancelled, application?.topViewController is TabBarController else {
                if let draft = found.draft { await Self.release(draft, in: drafts) }
                return
            }
            switch found {
            case .draft(let draft): open(draft, atLine: line, externally: externally)
            case .gone: return fetch()
            case .taken: return sayThatItIsTaken()
            }
            if !externally {
                application?.showMessage(
                    localized("This is your draft of “\(note.name)”. ^S saves it."))
            }
        }
        lastOpening = opening
    }

    /// Resumes a draft that was set aside, or left by an earlier run.
    func resume(_ draft: Draft, atLine line: Int? = nil, externally: Bool = false) {
        // At once: the next key is meant for the editor.
        guard let now = Self.claim(draft.id, in: drafts).draft else { return sayThatItIsTaken() }
        open(now, atLine: line, externally: externally)
    }

    private func sayThatItIsTaken() {
        application?.showMessage(
            localized("Another Byte Club has taken it up meanwhile."), .warning)
    }

    private enum Claimed {
        case draft(Draft)
        case gone
        /// Another window edits it.
        case taken

        var draft: Draft? {
            if case .draft(let draft) = self { draft } else { nil }
        }
    }

    /// Claims a draft, and reads it as it is now: it may have been changed, moved or saved since it was read.
    private nonisolated static func claim(_ id: Draft.ID, in drafts: DraftStore) -> Claimed {
        guard drafts.claim(id) == .claimed else { return .taken }
        if let now = drafts.draft(id) { return .draft(now) }
        drafts.release(id)
        return .gone
    }

    /// The same off the main actor: a draft may be large.
    @concurrent private nonisolated static func claimInBackground(
        _ id: Draft.ID, in drafts: DraftStore
    ) async -> Claimed {
        claim(id, in: drafts)
    }

    @concurrent private nonisolated static func release(
        _ draft: Draft, in drafts: DraftStore
    ) async {
        drafts.release(draft.id)
    }

    private func open(_ draft: Draft, atLine line: Int?, externally: Bool) {
        guard let document = NoteDocument(club: club, drafts: drafts, resuming: draft) else {
            return sayThatItIsTaken()
        }
        edit(
            document, text: TextBuffer(utf8: draft.text), startsDirty: true,
            start: line.map { .line($0) } ?? draft.caret.map { .offset($0) },
            externally: externally)
    }
}

// MARK: - Other encodings

extension NotesViewController {
    /// Shows a note that is not UTF-8, and offers to convert it.
    func read(_ file: RemoteFile, _ text: TextBuffer) {
        opening = startPending { [self] in
            let (encoding, decoded) = await Self.decode(text)
            guard !Task.isCancelled else { return }
            opening = nil
            let reader = NoteReaderViewController(
                name: file.name, bytes: text, encoding: encoding, decoded: decoded,
                settings: editorSettings
            ) { [weak self] converted in
                guard let self else { return }
                edit(
                    NoteDocument(club: club, drafts: drafts, file: file, text: text),
                    text: converted, isConverted: true)
            }
            reader.paneBesideList = { [weak self] in self?.paneForEditor }
            present(reader)
        }
    }

    @concurrent private nonisolated static func decode(
        _ text: TextBuffer
    ) async -> (TextEncoding?, TextBuffer?) {
        let encoding = TextEncoding.detected(in: text)
        return (encoding, encoding?.decoded(text))
    }
}
