internal import ClubAccess
internal import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// Notes that are too large for the editor are downloaded to a file and read there.
extension NotesViewController {
    func openLarge(_ note: RemoteFile) {
        showProgress(of: note, 0)
        opening = startPending { [self] in
            let own = opening
            do {
                let file = try await largeTexts.makeFile()
                var shownAt = ContinuousClock.now
                let fetched = try await club.perform { store throws(StoreError) in
                    try await TransferRun.run({ delegate in
                        store.download(note.path, to: file, delegate: delegate)
                    }) { [weak self] byteCount, _ in
                        guard shownAt.duration(to: .now) > .milliseconds(100) else { return }
                        shownAt = .now
                        // Not after Esc: the message would stay.
                        if let self, opening == own { showProgress(of: note, byteCount) }
                    }
                }
                let text = try await Self.open(file)
                guard !Task.isCancelled else { return }
                stopOpening()
                // If something else was opened during the download, it stays in front.
                guard application?.topViewController is TabBarController else { return }
                show(text, of: fetched)
            } catch {
                guard !Task.isCancelled else { return }
                stopOpening()
                showFailure(error, of: note)
            }
        }
    }

    private func showProgress(of note: RemoteFile, _ byteCount: Int64) {
        let percent = Int(min(99, Double(byteCount) / Double(max(1, note.byteCount)) * 100))
        application?.showMessage(
            localized("Opening “\(note.name)”… \(percent)%") + stopHint, for: nil)
    }

    private func show(_ text: LargeText, of note: RemoteFile) {
        files.see([note])
        let reader = LargeNoteViewController(name: note.name, text, settings: editorSettings)
        reader.paneBesideList = { [weak self] in self?.paneForEditor }
        present(reader)
    }

    private func showFailure(_ error: any Error, of note: RemoteFile) {
        switch error {
        case let error as StoreError: alert(club.sentence(for: error))
        case let error as LargeText.Failure: showUnreadable(note, error.reason)
        case let error as AtomicFile.Failure: showUnreadable(note, error.reason)
        default: showUnreadable(note, "\(error)")
        }
    }

    private func showUnreadable(_ note: RemoteFile, _ reason: String) {
        present(
            AlertController(
                title: localized("Not opened"),
                message: TextLine(
                    localized(
                        "“\(note.name)” is too large for memory, and could not be kept in a file for reading: \(reason). Make room on the disk and try again."
                    ))))
    }

    @concurrent private nonisolated static func open(
        _ file: URL
    ) async throws(LargeText.Failure) -> LargeText {
        try LargeText(taking: file)
    }
}
