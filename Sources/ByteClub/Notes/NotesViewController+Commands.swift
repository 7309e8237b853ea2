internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Searching, earlier versions and copying.
extension NotesViewController {
    /// Searches the texts of all notes, and opens the chosen one at the match.
    func searchTexts() {
        present(
            NoteSearchViewController(
                NoteSearcher(club, texts: texts), in: club
            ) { [weak self] hit in
                self?.open(hit.file, at: hit)
            })
    }

    func showVersions() {
        guard let note = selected else { return }
        _ = startPending { [self] in
            do throws(StoreError) {
                let (file, text) = try await texts.text(of: note)
                present(
                    VersionsViewController(of: file, current: text, club: club) { [weak self] in
                        self?.restore($0, to: file)
                    })
            } catch {
                alert(club.sentence(for: error))
            }
        }
    }

    /// Restores an earlier version; the current one stays among the versions, or is not replaced.
    private func restore(_ text: TextBuffer, to file: RemoteFile) {
        _ = startPending { [self] in
            do throws(StoreError) {
                guard try await club.copyPlace(of: file) != .nowhere else {
                    return alert(
                        ErrorMessage(
                            title: localized("Not restored"),
                            text: localized(
                                "The text that “\(file.name)” has now can be kept nowhere: this computer's disk is full, or may not be written to. Make room and try again."
                            )))
                }
                _ = try await club.write(
                    text, at: file.path,
                    mode: .update(file.revision, contentHash: file.contentHash))
                application?.showMessage(localized("“\(file.name)” is as it was."), .success)
            } catch {
                if error.isConflict { club.lookAgain(at: file.path) }
                alert(club.sentence(for: error))
            }
        }
    }

    /// Copies the note's text to the terminal's clipboard.
    func copySelected() {
        guard let note = selected else { return }
        _ = startPending { [self] in
            do throws(StoreError) {
                let text = try await texts.text(of: note).text
                guard text.count <= Clipboard.terminalLimit else {
                    application?.showMessage(
                        localized("“\(note.name)” is too long for the terminal's clipboard."),
                        .warning)
                    return
                }
                Clipboard.shared.put(text, for: application)
                application?.showMessage(localized("Copied the text of “\(note.name)”."), .success)
            } catch {
                alert(club.sentence(for: error))
            }
        }
    }

    func alert(_ words: ErrorMessage) {
        present(AlertController(title: words.title, message: TextLine(words.text)))
    }
}
