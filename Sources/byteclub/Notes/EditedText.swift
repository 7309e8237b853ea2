import ClubAccess
import FoundationEssentials
import Glibc
import Messages

/// A text as the editor has left it, in a file that stays until the text is safe elsewhere.
struct EditedText {
    let data: Data
    /// In a folder of its own.
    let file: URL

    /// The text is safe, or what it was.
    func discard() { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }

    /// After a sentence about what has failed.
    var sentence: String { localized(" Your text is in \(file.path).") }

    /// Lets the person edit a text.
    ///
    /// - Parameter name: The note's, so that the editor knows what it is by its ending.
    /// - Returns: The file's bytes when the editor has ended, and the file.
    /// - Throws: `CommandFailure` when it could not be run or failed; a text that was changed, or may have
    ///   been, stays in its file then, and the sentence says where.
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
            // The editor may have left it under another name. Nothing is lost with an empty folder.
            let isEmpty = rmdir(folder.path) == 0
            throw CommandFailure(
                localized(
                    "What the editor (\(editor.command)) has written cannot be read. The note was not changed."
                )
                    + (isEmpty ? "" : localized(" What it left is in \(folder.path).")))
        }
        guard ending.isSuccess else {
            let isKept = edited.data != text
            if !isKept { edited.discard() }
            throw CommandFailure(
                localized("The editor (\(editor.command)) failed. The note was not changed.")
                    + (isKept ? edited.sentence : ""))
        }
        return edited
    }

    /// In the folder for this session's files where there is one: it is in memory.
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

    /// The note's own name, without what a shell or an editor might stumble over.
    private static func fileName(for name: String) -> String {
        let safe = name.unicodeScalars.map { scalar -> Character in
            scalar.properties.generalCategory == .control || scalar == "/" ? "_" : Character(scalar)
        }
        let text = String(safe)
        return text.hasPrefix("-") || text.hasPrefix(".") ? "_" + text : text
    }

    /// Runs it in the foreground. Signals of the terminal are the editor's meanwhile.
    private static func run(_ editor: ExternalEditor, on file: URL) async -> ExternalEditor.Ending {
        let (oldInterrupt, oldQuit) = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, oldInterrupt)
            signal(SIGQUIT, oldQuit)
        }
        return await editor.run(on: file.path)
    }
}
