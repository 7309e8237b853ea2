import FoundationEssentials

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang.
package enum ResumingFuzzing {
    /// Resume data as it comes, and its inside as if it had come through its checksum.
    package static func resumeData(_ bytes: UnsafeRawBufferPointer) {
        let data = Data(bytes)
        for kind in [SealedRecord.Kind.download, .upload] {
            for blob in [data, (try? SealedRecord.seal(data, as: kind)) ?? data] {
                _ = try? UploadResumeData(blob: blob)
                guard let read = try? ResumeData(blob: blob) else { continue }
                precondition(PartialFiles.isName(read.fileName))
                precondition((try? ResumeData(blob: read.blob)) == read)
                _ = try? DownloadResumption(read, fileByteCount: 1).request
            }
        }
    }

    package static func contentRange(_ bytes: UnsafeRawBufferPointer) {
        guard let range = ContentRange(String(decoding: bytes, as: UTF8.self)) else { return }
        precondition(range.range != nil || range.total != nil)
    }

    /// A background task's record, the same two ways.
    package static func journal(_ bytes: UnsafeRawBufferPointer) {
        let data = Data(bytes)
        _ = BackgroundTaskRecord(parsing: data)
        guard let sealed = try? SealedRecord.seal(data, as: .backgroundTask),
            let record = BackgroundTaskRecord(parsing: sealed)
        else { return }
        precondition((try? BackgroundTaskRecord(parsing: record.render())) == record)
    }
}
