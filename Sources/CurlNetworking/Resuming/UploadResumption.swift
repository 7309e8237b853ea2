import FoundationEssentials

/// The state of a resumable upload according to draft-ietf-httpbis-resumable-upload, as a value.
///
/// The first request announces that it is resumable. A supporting server responds with an interim 104 that
/// contains the URL of the upload. When the connection is lost, HEAD to that URL returns how much has
/// arrived, and PATCH sends the rest. For other servers, it is an ordinary upload with two more fields.
///
/// | stage | request | ends with |
/// |---|---|---|
/// | creating | the task's own | a response; a lost connection after 104 (→ asking) |
/// | asking | HEAD | 2xx with `Upload-Offset` (→ appending, or done); 4xx (→ creating once, or failed) |
/// | appending | PATCH | a response; a lost connection or 409 (→ asking) |
struct UploadResumption: Sendable {
    /// The version of the wire format, of draft 05, which Apple's implementation supports, too.
    static let interopVersion = "6"
    /// How many requests in a row may fail without progress.
    static let maximumAttempts = 4

    private enum Stage: Hashable, Sendable {
        case creating
        case asking
        case appending(from: Int64)
        case over
    }

    /// The task's own request.
    let request: URLRequest
    /// The length of the whole body.
    let byteCount: Int64
    private var stage = Stage.creating
    /// The URL of the upload, once the server has sent it.
    private(set) var location: URL?
    /// How much the server has confirmed.
    private(set) var offset: Int64 = 0
    /// The maximum that the server has ever confirmed.
    private var furthest: Int64 = 0
    private var attempts = 0
    private var hasStartedOver = false
    /// Whether the server may have received and processed the whole body before the connection was lost.
    private var mayBeDone = false

    /// Starts a new upload.
    ///
    /// - Parameters:
    ///   - request: POST, PUT or PATCH with the fields of the upload.
    ///   - byteCount: The length of the body, which must be readable again from any offset.
    init(_ request: URLRequest, byteCount: Int64) {
        self.request = request
        self.byteCount = byteCount
    }

    /// Continues the upload of an earlier task.
    ///
    /// - Parameter startsOver: Whether it may restart if the server no longer has the upload.
    init(_ data: UploadResumeData, request: URLRequest, startsOver: Bool = true) {
        self.init(request, byteCount: data.byteCount)
        location = data.location
        mayBeDone = data.mayBeDone
        stage = .asking
        hasStartedOver = !startsOver
    }

    /// Whether the next request is the task's own.
    var isCreating: Bool { stage == .creating }

    /// Whether the server has a part of the body, so that the rest is sent now.
    var hasArrived: Bool { step?.bodyOffset.map { $0 > 0 } ?? false }

    /// Whether a body can be the upload's, by its length; -1 for a stream's.
    func isOf(_ byteCount: Int64) -> Bool { byteCount < 0 || byteCount == self.byteCount }

    /// The fields to add to the task's own request.
    var creationFields: [HTTPHeaderFields.Field] {
        guard stage == .creating else { return [] }
        return [
            .init(name: "Upload-Complete", value: "?1"),
            .init(name: "Upload-Draft-Interop-Version", value: Self.interopVersion),
        ]
    }

    /// The request of this stage without `creationFields`; nil if the upload is over.
    var next: URLRequest? { stage == .creating ? request : step?.request }

    /// The delay before the next request, in seconds: zero at first, then increasing.
    var backoffSeconds: Double { attempts < 2 ? 0 : 0.25 * Double(1 << min(attempts - 2, 6)) }

    /// Called when the step is sent, perhaps again: the server may send another URL.
    mutating func beginAttempt() {
        guard stage == .creating else { return }
        location = nil
        offset = 0
        furthest = 0
    }

    /// One request to send.
    struct Step: Equatable, Sendable {
        var request: URLRequest
        /// Where the body starts; nil for a request without a body.
        var bodyOffset: Int64?
        /// Whether its response is the response to the upload.
        var isUpload: Bool { bodyOffset != nil }
    }

    /// The request of this stage; nil if the upload is over.
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
        /// Deliver the response.
        case deliver
        /// Deliver this head: the body has arrived completely, but the response was lost.
        case deliverWithoutBody
        case fail(URLError)
    }

    /// Evaluates the head of an interim response (1xx).
    mutating func take(interim head: ResponseHead) {
        guard head.status == 104, stage != .over else { return }
        note(head.headers)
    }

    /// Evaluates the head of the final response to the step that was sent.
    mutating func take(_ head: ResponseHead) -> Decision {
        switch stage {
        case .creating:
            stage = .over
            return .deliver
        case .asking:
            return takeOffset(head)
        case .appending:
            if head.status == 409, attempts < Self.maximumAttempts {
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

    /// Called when the connection was lost before a response.
    ///
    /// - Parameter hasSentAll: Whether the whole body was sent.
    mutating func takeLoss(_ error: URLError, hasSentAll: Bool = false) -> Decision {
        if hasSentAll { noteMayBeDone() }
        guard location != nil, stage != .over, attempts < Self.maximumAttempts else {
            stage = .over
            return .fail(error)
        }
        attempts += 1
        stage = .asking
        return .send
    }

    /// Called when the server may have received the whole body.
    mutating func noteMayBeDone() { mayBeDone = true }

    /// The data for a later task; nil if the server does not support resuming.
    var resumeData: UploadResumeData? {
        guard let location else { return nil }
        return UploadResumeData(location: location, byteCount: byteCount, mayBeDone: mayBeDone)
    }

    private mutating func takeOffset(_ head: ResponseHead) -> Decision {
        guard (200..<300).contains(head.status),
            let arrived = head.headers["Upload-Offset"].flatMap(Self.integer), arrived <= byteCount
        else {
            // The server no longer has the upload, or its response is invalid: restart once, unless the
            // server may have processed the body already.
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
        // Bytes that were confirmed before are not progress; otherwise a server could alternate forever.
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
            let url = LenientAddress.url(text.trimmingSpaces, relativeTo: base)?.absoluteURL,
            // The rest of the body must go to the same server.
            Origin(of: url) == origin
        else { return }
        location = url
    }

    /// Returns a request to the upload's URL, with the fields of the first request that do not describe its
    /// body.
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

    /// Parses a nonnegative integer of structured fields (RFC 9651).
    private static func integer(_ text: String) -> Int64? {
        let digits = text.trimmingSpaces
        guard (1...15).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(digits)
    }
}
