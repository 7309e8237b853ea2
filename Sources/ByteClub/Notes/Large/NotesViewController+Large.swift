internal import ClubAccess
internal import ClubStore
internal import Files
internal import FoundationEssentials
internal import Messages
internal import TerminalUI

/// Notes that are too large for the editor: fetched into a file, and read there.
extension NotesViewController {
    func openLarge(_ note: RemoteFile) {
        tellProgress(of: note, 0)
        opening = startPending { [self] in
            do {
                let file = try await largeTexts.makeFile()
                var told = ContinuousClock.now
                let fetched = try await club.perform { store throws(StoreError) in
                    try await TransferRun.run({ delegate in
                        store.download(note.path, to: file, delegate: delegate)
                    }) { [weak self] byteCount, _ in
                        guard told.duration(to: .now) > .milliseconds(100) else { return }
                        told = .now
                        self?.tellProgress(of: note, byteCount)
                    }
                }
                let text = try await Self.open(file)
                guard !Task.isCancelled else { return }
                stopOpening()
                // Something else came up while it was fetched: what the person sees now comes first.
                guard application?.topViewController is TabBarController else { return }
                show(text, of: fetched)
            } catch {
                guard !Task.isCancelled else { return }
                stopOpening()
                tellFailure(error, of: note)
            }
        }
    }

    private func tellProgress(of note: RemoteFile, _ byteCount: Int64) {
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

    private func tellFailure(_ error: any Error, of note: RemoteFile) {
        switch error {
        case let error as StoreError: alert(club.sentence(for: error))
        case let error as LargeText.Failure: tellUnreadable(note, error.reason)
        case let error as AtomicFile.Failure: tellUnreadable(note, error.reason)
        default: tellUnreadable(note, "\(error)")
        }
    }

    private func tellUnreadable(_ note: RemoteFile, _ reason: String) {
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
