import CurlNetworking
import FoundationEssentials
import Synchronization

/// Takes a JPEG into memory, in one piece or in two, and nothing else: what does not begin like one
/// is given up at once.
final class PictureSink: BodySink {
    private struct State {
        var picture = Data()
        /// Of the whole, where the server tells.
        var byteCount: Int64?
        /// Names the state of the file that the bytes are of.
        var tag: EntityTag?
    }

    private let limit: Int
    private let path: RemotePath
    private let state = Mutex(State())

    init(limit: Int, path: RemotePath) {
        self.limit = limit
        self.path = path
    }

    /// What is there of it.
    var picture: Data { state.withLock { $0.picture } }

    /// Whether nothing is missing, as far as the server has told.
    var isComplete: Bool {
        state.withLock { $0.byteCount == Int64($0.picture.count) }
    }

    /// Asks for what is missing; for all of it when that might be of another state of the file.
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
        // A picture is none, whatever its name: this is the network's own.
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
        let (count, isPicture) = state.withLock { state in
            state.picture.append(data)
            let picture = state.picture
            return (picture.count, picture.starts(with: [0xFF, 0xD8].prefix(picture.count)))
        }
        guard isPicture else { throw failure(.noThumbnail) }
        guard count <= limit else { throw failure(.tooLarge) }
    }

    /// Gives it out.
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
    /// Of the whole; nil when not known.
    var byteCount: Int64?

    /// Nil when there is none, or it makes no sense: `bytes 0-131071/4000000`.
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
