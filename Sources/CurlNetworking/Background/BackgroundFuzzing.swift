import FoundationEssentials

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang. The journal's
/// records have theirs in `ResumingFuzzing.journal`.
package enum BackgroundFuzzing {
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
                settings.cookieFile = nil
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
