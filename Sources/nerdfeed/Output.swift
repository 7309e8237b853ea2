import FoundationEssentials
import Glibc
import TerminalUI

/// Output besides the screen.
enum Output {
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        VisibleOutput.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    static func complain(_ sentence: String) {
        VisibleOutput.line("nerdfeed: " + sentence, to: STDERR_FILENO)
    }
}
