import Testing

@testable import CurlNetworking

@Suite struct ChunkMeterTests {
    @Test func leavesOutWhatFramesTheChunks() {
        var meter = ChunkMeter()
        #expect(meter.bodyByteCount(onTheWire: 7) == 7)
        meter.note(chunk: 0x12)  // "12\r\n" + 18 + "\r\n"
        #expect(meter.bodyByteCount(onTheWire: 0) == 0)
        #expect(meter.bodyByteCount(onTheWire: 4) == 0)
        #expect(meter.bodyByteCount(onTheWire: 10) == 6)
        #expect(meter.bodyByteCount(onTheWire: 24) == 18)
        meter.note(chunk: 5)  // "5\r\n" + 5 + "\r\n"
        #expect(meter.bodyByteCount(onTheWire: 24) == 18)
        #expect(meter.bodyByteCount(onTheWire: 28) == 19)
        #expect(meter.bodyByteCount(onTheWire: 34) == 23)
        #expect(meter.bodyByteCount(onTheWire: 39) == 23)  // and the last chunk
    }
}
