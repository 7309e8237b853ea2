import FoundationEssentials

@testable import ClubStore

/// What the stores read from servers and from their own files, by name: what `make fuzz` runs, and what
/// the tests run over the corpora that it has gathered.
package enum StoreFuzzing {
    /// Takes any bytes, and must neither trap nor hang.
    package typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    /// The names are those of the corpora.
    package static let all: [String: Door] = [
        "multistatus": { multistatus($0) },
        "upload-record": { uploadRecord($0) },
    ]

    /// However it is split on its way, it says the same.
    private static func multistatus(_ bytes: UnsafeRawBufferPointer) {
        let whole = read(bytes, inPiecesOf: max(1, bytes.count))
        for count in [1, 7] where count < bytes.count {
            precondition(
                read(bytes, inPiecesOf: count) == whole, "pieces of \(count) bytes say more")
        }
    }

    private static func read(_ bytes: UnsafeRawBufferPointer, inPiecesOf count: Int) -> Multistatus?
    {
        let builder = MultistatusBuilder()
        do throws(XMLReader.Fault) {
            let reader = try XMLReader(builder)
            for start in stride(from: 0, to: bytes.count, by: count) {
                try reader.feed(Data(bytes[start..<min(start + count, bytes.count)]))
            }
            try reader.finish()
            return builder.result
        } catch {
            return nil
        }
    }

    private static func uploadRecord(_ bytes: UnsafeRawBufferPointer) {
        let record = UploadRecord(
            file: URL(filePath: "/nowhere"), contentHash: "hash", destination: "/photos/a.jpg")
        guard let progress = record.progress(in: Data(bytes)) else { return }
        precondition(progress.byteCount >= 0, "what has arrived is a number of bytes")
        guard let data = record.encoded(progress) else { return }
        precondition(record.progress(in: data) == progress, "what is kept is read again")
    }
}
