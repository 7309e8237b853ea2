import Dispatch
import FoundationEssentials
import Glibc

/// A text as the editor has left it, in a file that stays until the text is safe elsewhere.
struct EditedText {
    let data: Data
    /// In a folder of its own.
    let file: URL

    /// The text is safe, or what it was.
    func discard() { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }

    /// After a sentence about what has failed.
    var sentence: String { " Your text is in \(file.path)." }
}

/// The person's own editor, run on a file that nobody else can read.
enum ExternalEditor {
    /// Lets the person edit a text.
    ///
    /// - Parameter name: The note's, so that the editor knows what it is by its ending.
    /// - Returns: The file's bytes when the editor has ended, and the file.
    /// - Throws: `CommandFailure` when it could not be run or failed; a text that was changed, or may have
    ///   been, stays in its file then, and the sentence says where.
    static func edit(_ text: Data, named name: String) async throws -> EditedText {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            throw CommandFailure(
                "An editor needs a terminal. To pipe a text: byteclub notes edit NAME -")
        }
        let folder = try makeFolder()
        let file = folder.appending(path: fileName(for: name))
        do {
            try text.write(to: file)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        let status = await run(command, on: file)
        let edited: EditedText
        do {
            edited = EditedText(data: try Data(contentsOf: file), file: file)
        } catch {
            // The editor may have left it under another name. Nothing is lost with an empty folder.
            let isEmpty = rmdir(folder.path) == 0
            throw CommandFailure(
                "What the editor (\(command)) has written cannot be read. The note was not changed."
                    + (isEmpty ? "" : " What it left is in \(folder.path)."))
        }
        guard status == 0 else {
            let isKept = edited.data != text
            if !isKept { edited.discard() }
            throw CommandFailure(
                "The editor (\(command)) failed. The note was not changed."
                    + (isKept ? edited.sentence : ""))
        }
        return edited
    }

    /// A command line for the shell: `code --wait` is two words.
    private static var command: String {
        let environment = ProcessInfo.processInfo.environment
        return [environment["VISUAL"], environment["EDITOR"]].compactMap(\.self)
            .first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
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
            "No temporary file could be made: \(String(cString: strerror(errno))). Nothing was changed."
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

    /// Runs it in the foreground on a thread that may wait. Signals of the terminal are the editor's.
    private static func run(_ command: String, on file: URL) async -> CInt {
        let path = file.path
        let (oldInterrupt, oldQuit) = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            signal(SIGINT, oldInterrupt)
            signal(SIGQUIT, oldQuit)
        }
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "byteclub.editor").async { @Sendable in
                continuation.resume(
                    returning: spawn(["/bin/sh", "-c", command + " \"$1\"", "sh", path]))
            }
        }
    }

    private static func spawn(_ arguments: [String]) -> CInt {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        guard posix_spawn(&process, arguments[0], nil, &attributes, &pointers, environ) == 0 else {
            return -1
        }
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        return status
    }
}
