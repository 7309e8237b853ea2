import CurlNetworking
import FoundationEssentials
import Synchronization

/// Receives a JPEG into memory, in one or two responses; stops at once when the data is not a JPEG.
final class PictureSink: BodySink {
    private struct State {
        var picture = Data()
        /// The full size, if the server reports it.
        var byteCount: Int64?
        /// The tag of the state that the bytes belong to.
        var tag: EntityTag?
        /// When the observer was called last.
        var reportTime: ContinuousClock.Instant?
    }

    private let limit: Int
    private let path: RemotePath
    private let state = Mutex(State())
    /// The observer of the task that made the sink.
    private let observer = FetchProgress.observer

    init(limit: Int, path: RemotePath) {
        self.limit = limit
        self.path = path
    }

    /// The bytes received so far.
    var picture: Data { state.withLock { $0.picture } }

    /// Whether all bytes are here, as far as the server reported the size.
    var isComplete: Bool {
        state.withLock { $0.byteCount == Int64($0.picture.count) }
    }

    /// Requests the remaining bytes; all bytes if the state may have changed.
    func requestForRest(of url: String) -> WebDAVRequest {
        state.withLock { state in
            guard let tag = state.tag, !tag.isWeak, tag.revision.isSafeInField else {
                return .get(url)
            }
            var request = WebDAVRequest.get(url, from: Int64(state.picture.count))
            request.fields["If-Range"] = tag.revision.rawValue
            return request
        }
    }

    func begin(_ response: HTTPURLResponse) throws(StoreError) {
        // HTML is not a picture, whatever its name: this is a network's sign-in page.
        guard response.mimeType != "text/html" else { throw failure(.badAnswer) }
        let range = ContentRange(response)
        let byteCount = try state.withLock { state throws(StoreError) -> Int64? in
            if response.statusCode == 206 {
                guard let range, range.start == 0 || range.start == Int64(state.picture.count)
                else {
                    throw StoreError(
                        .badAnswer, during: .thumbnail, at: path, detail: "another range")
                }
                if range.start == 0 { state.picture = Data() }
                state.byteCount = range.byteCount
            } else {
                state.picture = Data()
                state.byteCount =
                    response.expectedContentLength < 0 ? nil : response.expectedContentLength
            }
            state.tag = response.value(forHTTPHeaderField: "ETag").flatMap(EntityTag.init)
            return state.byteCount
        }
        guard byteCount ?? 0 <= Int64(limit) else { throw failure(.tooLarge) }
    }

    func take(_ data: Data) throws(StoreError) {
        let (count, isPicture, progress) = state.withLock { state in
            state.picture.append(data)
            let progress = observer == nil ? nil : Self.progress(&state)
            return (state.picture.count, state.picture.mayBePicture, progress)
        }
        guard isPicture else { throw failure(.noThumbnail) }
        guard count <= limit else { throw failure(.tooLarge) }
        if let progress { observer?.report(progress) }
    }

    /// Nil within 100 ms of the last one, except for the end.
    private static func progress(_ state: inout State) -> FetchProgress? {
        let count = Int64(state.picture.count)
        let now = ContinuousClock.now
        if let last = state.reportTime, now - last < .milliseconds(100), count != state.byteCount {
            return nil
        }
        state.reportTime = now
        return FetchProgress(received: count, expected: state.byteCount)
    }

    /// Returns the picture.
    func finish() -> Data {
        state.withLock { state in
            defer { state = State() }
            return state.picture
        }
    }

    private func failure(_ code: StoreError.Code) -> StoreError {
        StoreError(code, during: .thumbnail, at: path)
    }
}

/// The field `Content-Range` (RFC 9110 §14.4).
private struct ContentRange {
    var start: Int64
    /// The full size; nil when unknown.
    var byteCount: Int64?

    /// Nil if missing or invalid: `bytes 0-131071/4000000`.
    init?(_ response: HTTPURLResponse) {
        guard let field = response.value(forHTTPHeaderField: "Content-Range") else { return nil }
        let words = field.split { $0 == " " || $0 == "-" || $0 == "/" }
        guard words.count == 4, words[0] == "bytes", let start = Int64(words[1]), start >= 0 else {
            return nil
        }
        self.start = start
        byteCount = Int64(words[3])
    }
}
