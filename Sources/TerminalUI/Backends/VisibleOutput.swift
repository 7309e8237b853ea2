import FoundationEssentials
import Glibc
import TextEditing

/// Lines for standard output and standard error. Foreign text is escaped first: it cannot contain escape
/// sequences or fake another line.
public enum VisibleOutput {
    /// Writes each line of a text.
    public static func lines(_ text: String, to descriptor: Int32 = 1) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            self.line(String(line), to: descriptor)
        }
    }

    /// Writes texts as one line, separated by tabs.
    public static func line(_ texts: String..., to descriptor: Int32 = 1) {
        write(
            texts.map { VisibleText($0).string }.joined(separator: "\t") + "\n", to: descriptor)
    }

    /// Writes JSON for programs. It contains no terminal control characters.
    public static func json(_ text: String) {
        write(VisibleText.escaped(json: text) + "\n", to: STDOUT_FILENO)
    }

    /// Writes a value as JSON, one line per field.
    public static func json(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes everything. If the reader has closed the pipe, the program ends.
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
