import FoundationEssentials

@testable import CurlNetworking

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang.
package enum ResumingFuzzing {
    /// Resume data as it comes, and its inside as if it had come through its checksum.
    package static func resumeData(_ bytes: UnsafeRawBufferPointer) {
        let data = Data(bytes)
        for kind in [ChecksummedRecord.Kind.download, .upload] {
            for blob in [data, (try? ChecksummedRecord.seal(data, as: kind)) ?? data] {
                _ = try? UploadResumeData(blob: blob)
                guard let read = try? ResumeData(blob: blob) else { continue }
                precondition(PartialFiles.isName(read.fileName))
                precondition((try? ResumeData(blob: read.blob)) == read)
                _ = try? DownloadResumption(read, fileByteCount: 1).request
            }
        }
    }

    /// What servers answer to a download and to an upload that go on, head after head.
    package static func answers(_ bytes: UnsafeRawBufferPointer) {
        guard let url = URL(string: "https://example.com/a/b?c") else { return }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let download = DownloadResumption(
            ResumeData(
                url: url, originalURL: url, headers: HTTPHeaderFields(),
                validator: .entityTag("\"1\""), byteCount: 50, totalByteCount: 100, fileName: "part"
            ),
            at: 50)
        var upload = UploadResumption(request, byteCount: 100)
        upload.beginAttempt()
        var parser = ResponseHeadParser()
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard (try? parser.append(UnsafeRawBufferPointer(rebasing: line))) != nil else {
                return
            }
            parser.takeInterim().forEach { upload.take(interim: $0) }
            guard parser.isComplete, let head = parser.head else { continue }
            if case .proceed(let place, let total) = download.decide(on: head) {
                precondition(place == 50 && (total ?? 100) == 100)
            }
            // A head that says it stands for none: the connection was lost.
            let isLoss = head.headers["Lost"] != nil
            let decision = isLoss ? upload.takeLoss(URLError(.timedOut)) : upload.take(head)
            precondition((0...100).contains(upload.offset))
            guard decision == .send else { return }
            guard let step = upload.step, let place = step.request.url else {
                preconditionFailure()
            }
            precondition(Origin(of: place) == Origin(of: url))
            precondition((0...100).contains(step.bodyOffset ?? 0))
            parser = ResponseHeadParser()
        }
    }

    package static func contentRange(_ bytes: UnsafeRawBufferPointer) {
        guard let range = ContentRange(String(decoding: bytes, as: UTF8.self)) else { return }
        precondition(range.range != nil || range.total != nil)
    }
}
