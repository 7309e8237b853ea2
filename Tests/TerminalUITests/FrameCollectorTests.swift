import Glibc
import Testing

@testable import TerminalUI

@MainActor
@Suite struct FrameCollectorTests {
    @Test func aFrameIsOneWrite() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let collector = try #require(FrameCollector(descriptor: ends[1]))
        for number in 0..<3 {
            let frame = collector.bytes {
                // As ncurses does: a write for each part.
                for part in ["a", "\u{1B}[2;3H", "b\(number)"] {
                    _ = part.withCString { write(ends[1], $0, strlen($0)) }
                }
            }
            #expect(String(decoding: frame, as: UTF8.self) == "a\u{1B}[2;3Hb\(number)")
            #expect(collector.bytes {} == [])
        }
        // Nothing has reached the terminal meanwhile, and what is written now does.
        _ = write(ends[1], "c", 1)
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(read(ends[0], &buffer, buffer.count) == 1)
        #expect(buffer[0] == UInt8(ascii: "c"))
    }

    @Test func aFrameMayBeLargerThanAnyPipe() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let collector = try #require(FrameCollector(descriptor: ends[1]))
        let large = [UInt8](repeating: 0x78, count: 1 << 20)
        #expect(collector.bytes { _ = write(ends[1], large, large.count) } == large)
        #expect(collector.bytes { _ = write(ends[1], "y", 1) } == [0x79])
    }
}
