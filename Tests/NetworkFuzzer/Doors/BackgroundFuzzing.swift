import FoundationEssentials

@testable import CurlNetworking

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang.
package enum BackgroundFuzzing {
    /// A task's record as it comes, and its inside as if it had come through its checksum: all that a
    /// helper and a program calculate from one.
    package static func journal(_ bytes: UnsafeRawBufferPointer) {
        let data = Data(bytes)
        _ = BackgroundTaskRecord.read(data)
        guard let sealed = try? ChecksummedRecord.seal(data, as: .backgroundTask),
            let record = BackgroundTaskRecord.read(sealed)
        else { return }
        precondition(record.isSound)
        precondition((try? BackgroundTaskRecord(parsing: record.render())) == record)
        use(record)
        let isSalvaged = BackgroundTaskRecord(parsing: sealed) == nil
        precondition(!isSalvaged || record.state.isOver)
    }

    private static func use(_ record: BackgroundTaskRecord) {
        let now: Int64 = 1_800_000_000
        var changed = record.renumbered(1)
        changed.resume(at: now)
        changed.suspend(at: now)
        changed.resume(at: now + 1)
        for event in [.interrupt, .start, .progress(moved: 1, expected: 2), .pause]
            as [BackgroundTaskRecord.Event]
        {
            _ = changed.apply(event)
        }
        changed.note(reached: 1)
        _ = record.request.request
        _ = record.part.firstAnswer?.asWhole(record).response?.expectedContentLength
        _ = record.part.resumeData.flatMap { try? ResumeData(blob: $0) }
        _ = record.upload.flatMap { try? UploadResumeData(blob: $0.resumeData) }
        _ = record.history.transactions.map(\.metrics)
        var settings = record.settings
        settings.cookies.cookieFile = nil  // a storage would read it, whichever it is
        _ = settings.makeConfiguration()
    }

    /// What a peer may send, both ways: as it comes, and as the inside of a frame.
    package static func messages(_ bytes: UnsafeRawBufferPointer) {
        let data = Data(bytes)
        decode(data, as: BackgroundRequest.self)
        decode(data, as: BackgroundReply.self)
        guard data.count <= BackgroundFrame.largestByteCount else { return }
        var frame = Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: data.count >> $0) })
        frame.append(data)
        decode(frame, as: BackgroundRequest.self)
        decode(frame, as: BackgroundReply.self)
    }

    private static func decode<Message: Codable & Hashable>(_ data: Data, as: Message.Type) {
        var decoder = BackgroundDecoder<Message>()
        decoder.append(data)
        while let message = try? decoder.next() {
            guard let frame = try? BackgroundFrame.encode(message) else { continue }
            var again = BackgroundDecoder<Message>()
            again.append(frame)
            precondition((try? again.next()) == message)
            if case .add(let record)? = message as? BackgroundRequest, record.isSound {
                _ = record.request.request
                // A storage would read the file, whichever it is.
                var settings = record.settings
                settings.cookies.cookieFile = nil
                _ = settings.makeConfiguration()
            }
            if let reply = message as? BackgroundReply { use(reply) }
        }
    }

    /// What the program makes of a reply, for its delegate.
    private static func use(_ reply: BackgroundReply) {
        switch reply {
        case .redirected(_, let request): _ = request.request
        case .answered(_, let answer): _ = answer.response?.expectedContentLength
        case .ended(_, .finished(let answer, _), let history):
            _ = answer.response
            _ = history.transactions.map(\.metrics)
        case .ended(_, _, let history): _ = history.transactions.map(\.metrics)
        case .challenged(_, _, let challenge): _ = challenge.makeChallenge(nil)
        default: break
        }
    }
}
