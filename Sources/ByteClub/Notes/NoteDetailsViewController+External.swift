internal import ClubAccess
internal import ClubLibrary
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

// MARK: - The person's own editor

extension NoteDetailsViewController {
    /// Opens the text in `$VISUAL` or `$EDITOR`; the saved result becomes one edit.
    ///
    /// - Parameter savingAfterwards: Whether to save and close the note afterwards: it was opened for this.
    func handOver(savingAfterwards: Bool) {
        guard !isSaving, !progress.isHandedOver else { return }
        guard let editor = ExternalEditor() else {
            return end(
                savingAfterwards,
                localized("No editor is set: set VISUAL or EDITOR, for example EDITOR=nano."),
                .warning)
        }
        progress.isHandedOver = true
        _ = startPending { [self] in
            await edit(in: editor, savingAfterwards)
        }
    }

    private func edit(in editor: ExternalEditor, _ savingAfterwards: Bool) async {
        do {
            guard let file = try await handOverText() else {
                progress.isHandedOver = false
                return
            }
            let start = ContinuousClock.now
            let ending: ExternalEditor.Ending =
                if let application {
                    await application.lendScreen {
                        await editor.run(on: file.path, lock: file.lock)
                    }
                } else {
                    await editor.run(on: file.path, lock: file.lock)
                }
            let isSoon = start.duration(to: .now) < .seconds(2)
            let returned = await Self.takeBack(file, ending, isSoon: isSoon)
            progress.isHandedOver = false
            await take(returned, ending, from: editor, savingAfterwards)
        } catch {
            progress.isHandedOver = false
            end(savingAfterwards, localized("\("\(error)") The note is as it was."), .warning)
        }
    }

    /// Writes the text to a file for the other editor. Until that has the screen this one is open: what is typed
    /// meanwhile belongs to it.
    ///
    /// - Returns: Nil if the note was closed meanwhile.
    private func handOverText() async throws -> HandedOverDraft? {
        while true {
            let state = textView.state
            let file = try await document.draft.handOver(wholeText, named: fileName)
            if isOnScreen, textView.state == state, !isSaving { return file }
            await Self.remove(file)
            await saving?.value
            if !isOnScreen { return nil }
        }
    }

    /// The result of editing in another program.
    private struct Returned: Sendable {
        /// Nil if the file cannot be read, or is not a valid note.
        var text: TextBuffer?
        var problem: String?
        /// The path of text that would be lost otherwise.
        var remains: String?
        /// Kept until the text is a draft, or the user has decided about it.
        var pending: HandedOverDraft?
        /// Whether the editor exited so quickly that it may still have the file open in the background.
        var mayBeOpen = false
    }

    /// - Parameter isSoon: Whether the editor exited so quickly that it may only have passed the file on.
    /// - Returns: What it has written. The file stays.
    @concurrent private nonisolated static func takeBack(
        _ file: HandedOverDraft, _ ending: ExternalEditor.Ending, isSoon: Bool
    ) async -> Returned {
        var returned = Returned()
        do throws(DraftStore.Failure) {
            returned.text = TextBuffer(utf8: try file.text(byteLimit: NoteDocument.byteLimit))
        } catch {
            returned.problem = error.description
        }
        let isLeft = returned.text == nil ? !file.isEmpty : !ending.isSuccess && file.hasRemnants
        if isLeft {
            returned.remains = file.leave()
        } else {
            returned.pending = file
            returned.mayBeOpen = ending.isSuccess && isSoon
        }
        return returned
    }

    @concurrent private nonisolated static func remove(_ file: HandedOverDraft?) async {
        file?.remove()
    }

    @concurrent private nonisolated static func removeUnlessOpen(
        _ returned: Returned
    ) async -> HandedOverDraft.Removal {
        guard returned.mayBeOpen, let file = returned.pending else {
            returned.pending?.remove()
            return .removed
        }
        return file.removeUnlessOpen()
    }

    @concurrent private nonisolated static func leave(_ file: HandedOverDraft) async -> String {
        file.leave()
    }

    private func take(
        _ returned: Returned, _ ending: ExternalEditor.Ending, from editor: ExternalEditor,
        _ savingAfterwards: Bool
    ) async {
        guard let text = returned.text else {
            return explain(returned.problem ?? "", nil, returned, from: editor, savingAfterwards)
        }
        let isChanged = text.withoutByteOrderMark != shownText
        guard ending.isSuccess else {
            return explain(
                Self.sentence(ending, editor), isChanged ? text : nil, returned, from: editor,
                savingAfterwards)
        }
        if isChanged { return adopt(text, from: returned, savingAfterwards) }
        guard await Self.removeUnlessOpen(returned) != .isOpen else {
            return end(
                savingAfterwards,
                localized(
                    "“\(editor.name)” returned at once: set it to wait, as “code --wait” does. What it saves is a draft at the next start."
                ), .warning)
        }
        end(savingAfterwards, localized("Nothing was changed in “\(editor.name)”."), .information)
    }

    /// - Parameters:
    ///   - text: The text saved despite the problem.
    ///   - returned: The result.
    private func explain(
        _ sentence: String, _ text: TextBuffer?, _ returned: Returned, from editor: ExternalEditor,
        _ savingAfterwards: Bool
    ) {
        var sentence = sentence
        let (remains, pending) = (returned.remains, returned.pending)
        if let remains { sentence += localized(" Its files are in \(remains).") }
        let leave: @MainActor () -> Void = { [weak self] in self?.endHandOver(savingAfterwards) }
        guard let text else {
            Task { await Self.remove(pending) }
            sentence += localized(" The note is as it was.")
            guard remains != nil else { return end(savingAfterwards, sentence, .warning) }
            return present(
                AlertController(
                    title: localized("The editor failed"), message: TextLine(sentence),
                    actions: [AlertAction("OK", kind: .cancel, handler: leave)]))
        }
        present(
            AlertController(
                title: localized("The editor failed"),
                message: TextLine(
                    sentence + localized(" It has changed the text: use what it saved?")),
                actions: [
                    AlertAction(localized("Use it"), key: "u") { [weak self] in
                        self?.adopt(text, from: returned, false)
                    },
                    AlertAction(localized("Leave it"), key: "l", kind: .cancel) { [weak self] in
                        // Unavailable once the note is closed.
                        let application = self?.application
                        leave()
                        guard let pending else { return }
                        Task {
                            let place = await Self.leave(pending)
                            application?.showMessage(
                                localized("What “\(editor.name)” saved is in \(place)."), .warning,
                                for: nil)
                        }
                    },
                ]))
    }

    /// Takes the text over. Its file is removed when the text is also on the disk as a draft.
    private func adopt(_ text: TextBuffer, from returned: Returned, _ savingAfterwards: Bool) {
        becomeText(text.withoutByteOrderMark)
        let draft = document.draft
        Task { [weak self, text = wholeText] in
            if let failure = await draft.keep(text), let file = returned.pending {
                let place = await Self.leave(file)
                self?.application?.showMessage(
                    failure + localized(" Your text is in \(place)."), .warning, for: nil)
            } else {
                _ = await Self.removeUnlessOpen(returned)
            }
        }
        if savingAfterwards { save(closing: true) }
    }

    private func end(
        _ wasOpenedForIt: Bool, _ sentence: String, _ kind: StatusMessage.Kind
    ) {
        // Unavailable once the note is closed.
        let application = application
        endHandOver(wasOpenedForIt)
        application?.showMessage(sentence, kind, for: kind == .warning ? nil : .seconds(4))
    }

    /// Closes a note that was opened only for the other editor, if it is unchanged.
    private func endHandOver(_ wasOpenedForIt: Bool) {
        if wasOpenedForIt, !isDirty { close() }
    }

    private static func sentence(
        _ ending: ExternalEditor.Ending, _ editor: ExternalEditor
    ) -> String {
        switch ending {
        case .exited(127), .exited(126):
            localized("“\(editor.command)” could not be started: set VISUAL or EDITOR.")
        // The shell's convention for signals.
        case .exited(let status) where status > 128:
            localized("“\(editor.name)” was ended by signal \(status - 128).")
        case .exited(let status): localized("“\(editor.name)” ended with status \(status).")
        case .killed(let signal): localized("“\(editor.name)” was ended by signal \(signal).")
        case .notStarted(let number):
            localized("No shell could be started for it (error \(number)).")
        }
    }
}
