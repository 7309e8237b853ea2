import Foundation
import Testing

@testable import ClubStore

@Suite struct UploadRecordTests {
    private let file = FileManager.default.temporaryDirectory
        .appending(path: "record-\(UUID().uuidString)")

    @Test func saysHowMuchTheServerHas() async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(UploadRecord.keptByteCount(in: file) == 0)
        let record = UploadRecord(file: file, contentHash: "hash", destination: "/photos/sea.jpg")
        await record.keep(UploadRecord.Progress(place: "session", byteCount: 1_000))
        #expect(UploadRecord.keptByteCount(in: file) == 1_000)
        await record.keep(nil)
        #expect(UploadRecord.keptByteCount(in: file) == 0)
        try Data("{\"progress\":".utf8).write(to: file)
        #expect(UploadRecord.keptByteCount(in: file) == 0)
    }
}
