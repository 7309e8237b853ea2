import ClubAccess
import FoundationEssentials
import Glibc
import ByteClubMessages

/// A text edited in an external editor, in a file that stays until the text was saved elsewhere.
struct EditedText {
    let data: Data
    /// In its own folder.
    let file: URL

    /// Removes the file: the text was saved, or is unchanged.
    func discard() { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }

    /// Appended to an error message.
    var sentence: String { localized(" Your text is in \(file.path).") }

    /// Lets the user edit a text.
    ///
    /// - Parameter name: The note's name, so that the editor knows its extension.
    /// - Returns: The file's bytes when the editor has ended, and the file.
    /// - Throws: `CommandFailure` if the editor could not be run or failed. A text that may have been changed
    ///   stays in its file, and the message says where.
    static func edit(_ text: Data, named name: String) async throws -> EditedText {
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
        let folder = try makeFolder()
        let file = folder.appending(path: fileName(for: name))
        do {
            try text.write(to: file)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        let ending = await run(editor, on: file)
        let edited: EditedText
        do {
            edited = EditedText(data: try Data(contentsOf: file), file: file)
        } catch {
            // The editor may have saved it under another name. Removing an empty folder loses nothing.
            let isEmpty = rmdir(folder.path) == 0
            throw CommandFailure(
                localized(
                    "What the editor “\(editor.command)” has written cannot be read. The note was not changed."
                )
                    + (isEmpty ? "" : localized(" What it left is in \(folder.path).")))
        }
        guard ending.isSuccess else {
            let isKept = edited.data != text
            if !isKept { edited.discard() }
            throw CommandFailure(
                localized("The editor “\(editor.command)” failed. The note was not changed.")
                    + (isKept ? edited.sentence : ""))
        }
        return edited
    }

    /// In the session's runtime folder if there is one: it is in memory.
    private static func makeFolder() throws -> URL {
        let environment = ProcessInfo.processInfo.environment
        let parent =
            environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        for parent in [parent, "/tmp"] {
            var template = Array("\(parent)/byteclub-edit-XXXXXX".utf8CString)
            if let path = mkdtemp(&template) {
                return URL(filePath: String(cString: path), directoryHint: .isDirectory)
            }
        }
        throw CommandFailure(
            localized(
                "No temporary file could be made: \(String(cString: strerror(errno))). Nothing was changed."
            )
        )
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
    private static func run(_ editor: ExternalEditor, on file: URL) async -> ExternalEditor.Ending {
        let (oldInterrupt, oldQuit) = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, oldInterrupt)
            signal(SIGQUIT, oldQuit)
        }
        return await editor.run(on: file.path)
    }
}
