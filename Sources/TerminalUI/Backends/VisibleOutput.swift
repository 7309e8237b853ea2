import Glibc
import TextEditing

/// Lines for standard output and standard error. What others wrote is made visible first: no title can send an
/// escape sequence, or pretend to be another line.
public enum VisibleOutput {
    /// Writes each line of a text as one.
    public static func lines(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            self.line(String(line))
        }
    }

    /// Writes texts as one line, with tabs between them.
    public static func line(_ texts: String..., to descriptor: Int32 = 1) {
        write(
            texts.map { VisibleText($0).string }.joined(separator: "\t") + "\n", to: descriptor)
    }

    /// Writes JSON for programs. No character in it means anything to a terminal.
    public static func json(_ text: String) {
        write(VisibleText.escaped(json: text) + "\n", to: STDOUT_FILENO)
    }

    /// Writes all of it. When nobody reads any more, the program is done.
    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                exit(errno == EPIPE ? 0 : 1)
            }
        }
    }
}
