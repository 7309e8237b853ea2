import Testing

@testable import ClubStore

@Suite struct ChunkPacingTests {
    private static let kibibyte: Int64 = 1 << 10
    private var pacing = ChunkPacing(smallest: 256 * kibibyte, largest: 8192 * kibibyte)

    /// Sends chunks on a line of a speed, and says how large they were in KiB.
    private mutating func chunks(_ count: Int, bytesPerSecond: Double) -> [Int64] {
        (0..<count).map { _ in
            let sent = pacing.byteCount
            pacing.note(sent, in: .seconds(Double(sent) / bytesPerSecond))
            return sent / Self.kibibyte
        }
    }

    @Test mutating func aFastLineHasLargeChunksFromTheThirdOn() {
        #expect(chunks(4, bytesPerSecond: 50e6) == [256, 2048, 8192, 8192])
    }

    @Test mutating func aSlowLineLosesLittle() {
        #expect(chunks(4, bytesPerSecond: 60e3) == [256, 256, 256, 256])
        #expect(chunks(3, bytesPerSecond: 300e3) == [256, 1024, 1024])
    }

    @Test mutating func aLineThatBecomesSlowIsNoticedWithOneChunk() {
        _ = chunks(3, bytesPerSecond: 50e6)
        #expect(chunks(3, bytesPerSecond: 100e3) == [8192, 256, 256])
    }

    @Test mutating func aRequestOfAFewBytesSaysNothing() {
        _ = chunks(3, bytesPerSecond: 50e6)
        pacing.note(100, in: .seconds(1))
        #expect(pacing.byteCount == 8192 * Self.kibibyte)
    }

    @Test mutating func noTimeAtAllIsAFastLine() {
        pacing.note(256 * Self.kibibyte, in: .zero)
        #expect(pacing.byteCount == 2048 * Self.kibibyte)
        pacing.note(.max / 64, in: .zero)
        #expect(pacing.byteCount == 8192 * Self.kibibyte)
    }

    @Test func theLargestIsTheLimitEvenBelowTheSmallest() {
        var pacing = ChunkPacing(smallest: 256, largest: 100)
        pacing.note(100, in: .zero)
        #expect(pacing.byteCount == 100)
    }
}
