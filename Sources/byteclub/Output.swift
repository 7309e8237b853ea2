import CByteClubLinux
import ClubAccess
import FoundationEssentials
import Glibc
import ByteClubMessages
import Synchronization
import TextEditing

/// Standard output and standard error.
///
/// Lines for people are escaped first, wherever they go: a file's name can neither contain escape sequences
/// nor fake another line. JSON and the contents of files are written exactly.
enum Output {
    static let isTerminal = isatty(STDOUT_FILENO) == 1
    static let isErrorTerminal = isatty(STDERR_FILENO) == 1
    /// Whether lines are never overwritten: a screen reader would read them again and again.
    static let isPlain = Atomic(false)

    /// Whether the program ends when nobody reads its output any longer. Not while it does more than to write: what was
    /// asked for is done, silently.
    static let endsUnread = Atomic(true)
    private static let isUnread = Atomic(false)

    /// Writes one line.
    static func line(_ text: String) {
        write(VisibleText(text).string + "\n")
    }

    /// Writes JSON for programs, one line per field. It contains no terminal control characters.
    static func json(_ value: some Encodable) throws {
        try json(value, [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
    }

    /// Writes JSON in one line, as an event.
    static func jsonLine(_ value: some Encodable) throws {
        try json(value, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func json(
        _ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
            // Foundation writes an empty array as two line breaks, which no string contains.
            .replacing("[\n\n]", with: "[]")
        write(VisibleText.escaped(json: text) + "\n")
    }

    /// Writes rows in aligned columns, slightly indented.
    ///
    /// - Parameter shortened: A column that takes at most a third of a terminal's width: one long name there would
    ///   move everything else out of sight.
    static func table(_ rows: [[String]], shortening shortened: Int? = nil) {
        let limit = Self.columnCount.map { max(16, $0 / 3) }
        let rows = rows.map { row in
            row.enumerated().map { column, cell in
                let text = VisibleText(cell).string
                guard column == shortened, let limit, CellWidth.of(text) > limit else {
                    return text
                }
                return CellWidth.prefix(of: text, fitting: limit - 1).text + "…"
            }
        }
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? CellWidth.of($0[column]) : 0 }.max() ?? 0
        }
        for row in rows {
            var text = " "
            for (cell, width) in zip(row.dropLast(), widths) {
                let blanks = width - CellWidth.of(cell) + 1
                text += " " + cell + String(repeating: " ", count: blanks)
            }
            line(text + " " + (row.last ?? ""))
        }
    }

    /// Writes text that is known to be safe.
    static func write(_ text: String) {
        write(Data(text.utf8))
    }

    /// Writes a file's bytes; on a terminal escaped, line by line.
    static func content(_ data: Data) {
        guard isTerminal else { return write(data) }
        var text = ""
        for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let cells = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            text += cells.map { VisibleText(utf8: $0).string }.joined(separator: "\t") + "\n"
        }
        // The last line's own newline.
        if data.last == UInt8(ascii: "\n") { text.removeLast() }
        write(text)
    }

    /// Writes all bytes. If the reader has closed the pipe, the program ends; see ``endsUnread``.
    static func write(_ data: Data) {
        guard !isUnread.load(ordering: .relaxed) else { return }
        data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let count = Glibc.write(
                    STDOUT_FILENO, bytes.baseAddress?.advanced(by: written), bytes.count - written)
                if count > 0 {
                    written += count
                } else if errno == EAGAIN {
                    var request = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                    poll(&request, 1, -1)
                } else if errno == EPIPE {
                    guard !endsUnread.load(ordering: .relaxed) else { exit(0) }
                    isUnread.store(true, ordering: .relaxed)
                    return
                } else if errno != EINTR {
                    complain(
                        localized(
                            "The output could not be written: \(String(cString: strerror(errno))).")
                    )
                    exit(1)
                }
            }
        }
    }

    /// A text escaped for a terminal.
    static func shown(_ text: String) -> String { VisibleText(text).string }

    /// Writes a file's bytes unchanged.
    ///
    /// - Parameter folder: The file's folder, removed first: the program ends if the reader closes the pipe.
    static func copy(_ file: URL, removing folder: URL) throws {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure(
                localized("What was fetched cannot be read: \(String(cString: strerror(errno)))."))
        }
        defer { close(descriptor) }
        try? FileManager.default.removeItem(at: folder)
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(
                    localized(
                        "What was fetched cannot be read: \(String(cString: strerror(errno)))."))
            }
            if count == 0 { return }
            write(Data(buffer[..<count]))
        }
    }

    /// Asks for a line on the terminal.
    static func prompt(_ text: String) {
        writeError(text)
    }

    /// Writes an error message to standard error, in one line, escaped.
    static func complain(_ sentence: String) {
        ActivityLog.write("error: \(sentence)")
        notice("byteclub: " + sentence)
    }

    /// Writes why a command failed, and below it the command that helps.
    static func complain(_ failure: CommandFailure) {
        complain(failure.sentence)
        if let command = failure.command { notice(command) }
    }

    /// Writes usage information to standard error.
    static func explain(_ text: String) {
        let lines = ("byteclub: " + text).split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines { notice(String(line)) }
    }

    static func notice(_ line: String) {
        writeError(VisibleText(line).string + "\n")
    }

    /// Replaces the last line on a terminal; does nothing elsewhere.
    static func status(_ text: String) {
        guard isErrorTerminal, !isPlain.load(ordering: .relaxed) else { return }
        // A cursor in the last column would wrap.
        let shown = CellWidth.prefix(of: VisibleText(text).string, fitting: errorColumnCount - 1)
        writeError("\r" + shown.text + "\u{1B}[K")
    }

    /// Keeps the last status; further output begins on a new line.
    static func endStatus() {
        if isErrorTerminal, !isPlain.load(ordering: .relaxed) { writeError("\n") }
    }

    /// The columns of a status.
    static var statusColumnCount: Int { errorColumnCount - 1 }

    /// Clears the last status.
    static func clearStatus() {
        if isErrorTerminal, !isPlain.load(ordering: .relaxed) { writeError("\r\u{1B}[K") }
    }

    /// The width of standard output's terminal; nil if it is not a terminal.
    static var columnCount: Int? { columnCount(of: STDOUT_FILENO) }

    private static var errorColumnCount: Int { columnCount(of: STDERR_FILENO) ?? 80 }

    private static func columnCount(of descriptor: CInt) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 1 else { return nil }
        return Int(size.ws_col)
    }

    private static func writeError(_ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
