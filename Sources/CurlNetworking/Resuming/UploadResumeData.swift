import FoundationEssentials

/// The data with which an interrupted upload can be resumed, as a blob for the program.
///
/// It does not identify the body: the program passes it again, so that a forged blob cannot cause a file to
/// be sent.
struct UploadResumeData: Hashable, Sendable {
    var location: URL
    var byteCount: Int64
    /// Whether the server may have received and processed the whole body: if it no longer has the upload, a
    /// request that is not idempotent is not sent again.
    var mayBeDone: Bool

    private struct Record: Codable {
        var location: String
        var byteCount: Int64
        /// nil in data of earlier versions, which did not know.
        var mayBeDone: Bool?
    }

    init(location: URL, byteCount: Int64, mayBeDone: Bool = true) {
        self.location = location.withoutCredentials
        self.byteCount = byteCount
        self.mayBeDone = mayBeDone
    }

    /// Parses resume data.
    ///
    /// - Throws: `.cannotDecodeRawData` with the reason.
    init(blob: Data) throws(URLError) {
        let damaged = { (reason: String) in
            URLError(
                .cannotDecodeRawData, underlyingText: "the resume data cannot be used: \(reason)")
        }
        guard blob.count <= ResumeData.largestByteCount else { throw damaged("it is too large") }
        let payload: Data
        do throws(ChecksummedRecord.CorruptionError) {
            payload = try ChecksummedRecord.open(blob, as: .upload)
        } catch {
            throw damaged(error.text)
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: payload),
            let url = URL(string: record.location), Origin(of: url) != nil, record.byteCount >= 0
        else { throw damaged("a part of it is missing") }
        self.init(
            location: url, byteCount: record.byteCount, mayBeDone: record.mayBeDone ?? true)
    }

    var blob: Data {
        get throws {
            try ChecksummedRecord.seal(
                JSONEncoder().encode(
                    Record(
                        location: location.absoluteString, byteCount: byteCount,
                        mayBeDone: mayBeDone)),
                as: .upload)
        }
    }
}
