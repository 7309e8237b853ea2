import FoundationEssentials
import Glibc
import TextEditing

/// Standard output and standard error. What others wrote is made visible first: no title can send an escape
/// sequence, or pretend to be another line.
enum Output {
    static func line(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        write(lines.map { VisibleText($0).string + "\n" }.joined(), to: STDOUT_FILENO)
    }

    static func columns(_ texts: [String]) {
        write(
            texts.map { VisibleText($0).string }.joined(separator: "\t") + "\n", to: STDOUT_FILENO)
    }

    /// Writes JSON for programs. No character in it means anything to a terminal.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        write(VisibleText.escaped(json: text) + "\n", to: STDOUT_FILENO)
    }

    static func complain(_ sentence: String) {
        write("nerdfeed: " + VisibleText(sentence).string + "\n", to: STDERR_FILENO)
    }

    /// Writes all of it. When nobody reads any more, the program is done.
    private static func write(_ text: String, to descriptor: CInt) {
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
