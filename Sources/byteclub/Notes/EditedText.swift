import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages

/// A text edited in an external editor, in a file that stays until the text was saved elsewhere. After a crash, or when
/// this program is killed, the app offers what the editor has saved at its next start.
struct EditedText {
    let data: Data
    /// That of the draft.
    let id: UUID
    private let file: HandedOverDraft

    /// Removes the file: the text was saved, or is unchanged.
    func discard() { file.remove() }

    /// Leaves the file in a place that nothing removes.
    ///
    /// - Returns: A sentence that says where, for an error message.
    func leave() -> String {
        let place = URL(filePath: file.leave(), directoryHint: .isDirectory)
            .appending(path: "note").appending(path: URL(filePath: file.path).lastPathComponent)
        return localized(" Your text is in \(place.path).")
    }

    /// Lets the user edit a text.
    ///
    /// - Parameters:
    ///   - note: The note that the text is from; its name gives the file its extension.
    ///   - drafts: Where the file is.
    /// - Returns: The file's bytes when the editor has ended, and the file.
    /// - Throws: `CommandFailure` if the editor could not be run or failed. A text that may have been changed
    ///   stays in its file, and the message says where.
    static func edit(
        _ text: Data, of note: RemoteFile, in drafts: DraftStore
    ) async throws -> EditedText {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandFailure(
                localized("An editor needs a terminal. To pipe a text: byteclub notes edit NAME -"))
        }
        guard let editor = ExternalEditor() else {
            throw CommandFailure(
                localized(
                    "There is no editor. Set VISUAL or EDITOR to one, or pipe a text: byteclub notes edit NAME -"
                )
            )
        }
        let draft = Draft(
            name: note.name, path: note.path.string, baseRevision: note.revision.rawValue,
            baseContentHash: note.contentHash ?? LocalCopy.hash(of: text), savedAt: Date(),
            text: text)
        let file: HandedOverDraft
        do {
            file = try drafts.handOver(draft, named: fileName(for: note.name))
        } catch {
            throw CommandFailure(localized("\("\(error)") Nothing was changed."))
        }
        let ending = await run(editor, on: file)
        guard let data = try? Data(contentsOf: URL(filePath: file.path)) else {
            // The editor may have saved it under another name.
            var remains = ""
            if file.isEmpty {
                file.remove()
            } else {
                remains = localized(" Its files are in \(file.leave() + "/note").")
            }
            throw CommandFailure(
                localized(
                    "What the editor “\(editor.command)” has written cannot be read. The note was not changed."
                ) + remains)
        }
        let edited = EditedText(data: data, id: draft.id, file: file)
        guard ending.isSuccess else {
            let isKept = edited.data != text
            if !isKept { edited.discard() }
            throw CommandFailure(
                localized("The editor “\(editor.command)” failed. The note was not changed.")
                    + (isKept ? edited.leave() : ""))
        }
        return edited
    }

    /// The note's name without characters that a shell or an editor might misinterpret.
    private static func fileName(for name: String) -> String {
        let safe = name.unicodeScalars.map { scalar -> Character in
            scalar.properties.generalCategory == .control || scalar == "/" ? "_" : Character(scalar)
        }
        let text = String(safe)
        return text.hasPrefix("-") || text.hasPrefix(".") ? "_" + text : text
    }

    /// Runs the editor in the foreground; it receives the terminal's signals.
    private static func run(
        _ editor: ExternalEditor, on file: HandedOverDraft
    ) async -> ExternalEditor.Ending {
        let (oldInterrupt, oldQuit) = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, oldInterrupt)
            signal(SIGQUIT, oldQuit)
        }
        return await editor.run(on: file.path, lock: file.lock)
    }
}
