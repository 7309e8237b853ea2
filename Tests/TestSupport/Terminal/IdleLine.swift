/// A line that Byte Club writes to `BYTECLUB_TEST_FD`: everything is drawn, and nothing is pending.
public struct IdleLine: Hashable, Sendable {
    /// How many input bytes had been read since the program's start.
    public let readByteCount: Int?
    /// The size that was drawn.
    public let size: TerminalSize?

    /// Reads `idle 1234 80x24`; the numbers may be missing.
    public init(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        readByteCount = words.count > 1 ? Int(words[1]) : nil
        let numbers = words.count > 2 ? words[2].split(separator: "x").compactMap { Int($0) } : []
        size = numbers.count == 2 ? TerminalSize(columns: numbers[0], rows: numbers[1]) : nil
    }
}
