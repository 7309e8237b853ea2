import FoundationEssentials

/// How an upload survives a lost connection, with the resumable uploads of
/// draft-ietf-httpbis-resumable-upload, as a value.
///
/// The first request says that it would like to be resumable. A server that can tells, in an interim
/// 104, where the upload can be asked after. When the connection is lost, HEAD to that place tells how
/// much has arrived, and PATCH sends the rest. A server that knows nothing of all this sees a usual
/// upload with two fields more.
///
/// | stage | request | left by |
/// |---|---|---|
/// | creating | the task's own | an answer; a lost connection after 104 (→ asking) |
/// | asking | HEAD | 2xx with `Upload-Offset` (→ appending, or done); 4xx (→ creating once, or failed) |
/// | appending | PATCH | an answer; a lost connection or 409 (→ asking) |
struct UploadResumption: Sendable {
    /// The version of the draft's wire format: that of draft 05, which Apple's suite speaks too.
    static let interopVersion = "6"
    /// So many requests in a row may fail without a byte more at the server.
    static let mostAttempts = 4

    private enum Stage: Hashable, Sendable {
        case creating
        case asking
        case appending(from: Int64)
        case over
    }

    /// The task's own.
    let request: URLRequest
    private let byteCount: Int64
    private var stage = Stage.creating
    /// The upload at the server, once it has said.
    private(set) var location: URL?
    /// What has arrived there for certain.
    private(set) var offset: Int64 = 0
    /// The most that has ever arrived there.
    private var furthest: Int64 = 0
    private var attempts = 0
    private var hasStartedOver = false
    /// Whether the server may have got the whole body, and done with it what it does, before the
    /// connection was lost.
    private var mayBeDone = false

    /// - Parameters:
    ///   - request: POST, PUT or PATCH with the fields of the upload.
    ///   - byteCount: Of the whole body, which has to be there to be read again from any offset.
    init(_ request: URLRequest, byteCount: Int64) {
        self.request = request
        self.byteCount = byteCount
    }

    /// Goes on with an upload of an earlier task.
    ///
    /// - Parameter startsOver: Whether it may begin again when the server has forgotten it.
    init(_ data: UploadResumeData, request: URLRequest, startsOver: Bool = true) {
        self.init(request, byteCount: data.byteCount)
        location = data.location
        stage = .asking
        hasStartedOver = !startsOver
    }

    /// Whether the task's own request is the one to send.
    var isCreating: Bool { stage == .creating }

    /// Whether the server has a part of the body, so that the rest is sent now.
    var hasArrived: Bool { step?.bodyOffset.map { $0 > 0 } ?? false }

    /// Whether a body can be the one; -1 for a stream's.
    func isOf(_ byteCount: Int64) -> Bool { byteCount < 0 || byteCount == self.byteCount }

    /// What the task's own request says in addition.
    var creationFields: [HTTPHeaderFields.Field] {
        guard stage == .creating else { return [] }
        return [
            .init(name: "Upload-Complete", value: "?1"),
            .init(name: "Upload-Draft-Interop-Version", value: Self.interopVersion),
        ]
    }

    /// The request of this stage without `creationFields`; nil when the upload is over.
    var next: URLRequest? { stage == .creating ? request : step?.request }

    /// How long to rest before the next request, in seconds: nothing at first, then ever longer.
    var backoffSeconds: Double { attempts < 2 ? 0 : 0.25 * Double(1 << min(attempts - 2, 6)) }

    /// The step is sent, perhaps not for the first time: another place may be told.
    mutating func beginAttempt() {
        guard stage == .creating else { return }
        location = nil
        offset = 0
        furthest = 0
    }

    /// One request to send.
    struct Step: Equatable, Sendable {
        var request: URLRequest
        /// Where in the body to begin; nil for a request without a body.
        var bodyOffset: Int64?
        /// Whether an answer is the answer to the upload.
        var isUpload: Bool { bodyOffset != nil }
    }

    /// The request of this stage; nil when the upload is over.
    var step: Step? {
        switch stage {
        case .creating:
            var request = request
            for field in creationFields { request.headers[field.name] = field.value }
            return Step(request: request, bodyOffset: 0)
        case .asking:
            guard var request = follower("HEAD") else { return nil }
            request.headers["Upload-Draft-Interop-Version"] = Self.interopVersion
            return Step(request: request, bodyOffset: nil)
        case .appending(let start):
            guard var request = follower("PATCH") else { return nil }
            request.headers["Upload-Complete"] = "?1"
            request.headers["Upload-Offset"] = String(start)
            request.headers["Upload-Draft-Interop-Version"] = Self.interopVersion
            request.headers["Content-Type"] = "application/partial-upload"
            return Step(request: request, bodyOffset: start)
        case .over:
            return nil
        }
    }

    /// What to do next.
    enum Decision: Equatable, Sendable {
        /// Send `step`.
        case send
        /// The head is the answer to the upload.
        case deliver
        /// All has arrived, but the answer was lost with the connection: only this head is known.
        case deliverWithoutBody
        case fail(URLError)
    }

    /// Takes the head of an interim answer (1xx).
    mutating func take(interim head: ResponseHead) {
        guard head.status == 104, stage != .over else { return }
        note(head.headers)
    }

    /// Takes the head of a final answer to the step that was sent.
    mutating func take(_ head: ResponseHead) -> Decision {
        switch stage {
        case .creating:
            stage = .over
            return .deliver
        case .asking:
            return takeOffset(head)
        case .appending:
            if head.status == 409, attempts < Self.mostAttempts {
                attempts += 1
                stage = .asking
                return .send
            }
            stage = .over
            return .deliver
        case .over:
            return .deliver
        }
    }

    /// The connection was lost before there was an answer.
    ///
    /// - Parameter hasSentAll: Whether the whole body had left this machine.
    mutating func takeLoss(_ error: URLError, hasSentAll: Bool = false) -> Decision {
        if hasSentAll { mayBeDone = true }
        guard location != nil, stage != .over, attempts < Self.mostAttempts else {
            stage = .over
            return .fail(error)
        }
        attempts += 1
        stage = .asking
        return .send
    }

    /// What a later task needs to go on; nil when the server has not said how.
    var resumeData: UploadResumeData? {
        guard let location else { return nil }
        return UploadResumeData(location: location, byteCount: byteCount)
    }

    private mutating func takeOffset(_ head: ResponseHead) -> Decision {
        guard (200..<300).contains(head.status),
            let arrived = head.headers["Upload-Offset"].flatMap(Self.integer), arrived <= byteCount
        else {
            // The server has forgotten it, or makes no sense: once from the beginning, unless that could
            // do the same a second time.
            if head.status >= 500 { return takeLoss(Self.failure(head, location)) }
            guard !hasStartedOver, !mayBeDone || LostRequest.isIdempotent(request.method) else {
                stage = .over
                return .fail(Self.failure(head, location))
            }
            hasStartedOver = true
            location = nil
            offset = 0
            furthest = 0
            stage = .creating
            return .send
        }
        if head.headers["Upload-Complete"]?.trimmingSpaces == "?1" {
            stage = .over
            guard arrived == byteCount else { return .fail(Self.failure(head, location)) }
            offset = arrived
            return .deliverWithoutBody
        }
        // Bytes that were there before are no progress: a server could walk back and forth for ever.
        if arrived > furthest {
            furthest = arrived
            attempts = 0
        }
        offset = arrived
        stage = .appending(from: arrived)
        return .send
    }

    private mutating func note(_ headers: HTTPHeaderFields) {
        guard location == nil, let text = headers["Location"], let base = request.url,
            let origin = Origin(of: base),
            let url = URL(string: text.trimmingSpaces, relativeTo: base)?.absoluteURL,
            // The rest of the body goes where the first part went, and nowhere else.
            Origin(of: url) == origin
        else { return }
        location = url
    }

    /// A request to the upload's place, with the fields of the first that are not about its body.
    private func follower(_ method: String) -> URLRequest? {
        guard let location else { return nil }
        var next = request
        next.url = location
        next.httpMethod = method
        next.httpBody = nil
        for field in request.headers.fields where field.name.lowercased().hasPrefix("content-") {
            next.headers[field.name] = nil
        }
        for name in ["Expect", "If-Match", "If-None-Match", "Transfer-Encoding"] {
            next.headers[name] = nil
        }
        return next
    }

    private static func failure(_ head: ResponseHead, _ url: URL?) -> URLError {
        URLError(
            .badServerResponse, failingURL: url,
            underlyingText: "asked how much of the upload has arrived, the server answered "
                + "\(head.status)")
    }

    /// An integer of structured fields (RFC 9651): digits, and none below zero here.
    private static func integer(_ text: String) -> Int64? {
        let digits = text.trimmingSpaces
        guard (1...15).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(digits)
    }
}

/// What is needed to go on with a broken upload, as a blob a program may keep.
///
/// It does not say where the body comes from: the program gives it again, so that a forged blob can
/// make nobody send a file.
struct UploadResumeData: Hashable, Sendable {
    var location: URL
    var byteCount: Int64

    private struct Record: Codable {
        var location: String
        var byteCount: Int64
    }

    init(location: URL, byteCount: Int64) {
        self.location = location.withoutCredentials
        self.byteCount = byteCount
    }

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
        self.init(location: url, byteCount: record.byteCount)
    }

    var blob: Data {
        get throws {
            try ChecksummedRecord.seal(
                JSONEncoder().encode(
                    Record(location: location.absoluteString, byteCount: byteCount)),
                as: .upload)
        }
    }
}
