import FoundationEssentials

/// One task of a background session, as the journal keeps it.
///
/// | state | left by |
/// |---|---|
/// | queued | `start`, `fail`, `finish` |
/// | running | `progress`, `pause` and `interrupt` (→ queued), `fail`, `finish` |
/// | finished, failed | `deliver` |
/// | delivered | nothing: its record is removed |
struct BackgroundTaskRecord: Codable, Hashable, Sendable {
    /// Unique in its session.
    private(set) var number: Int
    /// The background session's identifier.
    let session: String
    let kind: Kind
    let request: Request
    /// Seconds since 1970, plus the time the task was suspended. The resource timeout counts from here.
    private(set) var created: Int64
    /// Before this time its first attempt does not start; seconds since 1970. nil to start at once.
    let earliestBegin: Double?
    /// Distinguishes this task from any other with its number.
    let key: UInt64
    let settings: BackgroundSettings
    var description: String?
    var priority: Float
    /// Seconds since 1970; nil while it is not suspended.
    private(set) var suspendedSince: Int64?
    var part = Part()
    /// Resume data of an upload.
    var upload: Upload?
    /// Whether the attempt that runs may have sent all of a request that must not be carried out twice: if
    /// its process ends before the answer comes, it is not sent again. nil for no.
    var mayBeSent: Bool?
    /// The most bytes that have certainly arrived: of a download here, of an upload at the server.
    private(set) var reachedByteCount: Int64?
    private(set) var state: State
    /// Of a completed task.
    var history = BackgroundHistory()
    /// How often it was started.
    private(set) var attempts: Int
    /// How many helpers in a row ended unexpectedly while it was running.
    private(set) var interruptions = 0

    /// Task numbers. `Int` holds far more, so counting on from any of them does not overflow.
    static let numbers = 1...(1 << 40)
    /// How often something happened.
    static let counts = 0...(1 << 40)
    /// Seconds since 1970 that can be added to and subtracted from one another.
    static let times: ClosedRange<Int64> = -(1 << 40)...(1 << 40)

    /// After this many interruptions in a row, the task fails.
    static let maximumInterruptions = 20

    enum Kind: Codable, Hashable, Sendable {
        /// `resumeData`: from an earlier task.
        case download(resumeData: Data?)
        /// An absolute path.
        case upload(file: String)
    }

    /// What has arrived of a download.
    struct Part: Codable, Hashable, Sendable {
        /// Without secrets.
        var resumeData: Data?
        /// The boot ID at that time: after a reboot only what was synced is certain to be on disk.
        var boot: String?
        /// The file name for the body of the last attempt that started at the first byte. Recorded before
        /// the file is created, so that an unusable one is removed even if the helper is killed.
        var newFile: String?
        /// The response that the part began with.
        var firstAnswer: Answer?

        private enum CodingKeys: String, CodingKey {
            case resumeData = "part"
            case boot = "partBoot"
            case newFile = "newPart"
            case firstAnswer
        }
    }

    /// An upload that the server can resume.
    struct Upload: Codable, Hashable, Sendable {
        var resumeData: Data
        /// The version of the file that it began with.
        var stamp: AtomicFile.Stamp
    }

    /// Status and fields of a response.
    struct Answer: Codable, Hashable, Sendable {
        var url: String
        var status: Int
        var fields: [Request.Field]
    }

    enum State: Codable, Hashable, Sendable {
        case queued
        /// Bytes transferred, and bytes expected (-1 when unknown).
        case running(moved: Int64, expected: Int64)
        /// The plain name of the file with the body; nil when there was none.
        case finished(Answer, file: String?)
        /// A `URLError` code and its text, with resume data if there is any.
        case failed(code: Int, text: String?, resumeData: Data?)
        case delivered

        var isOver: Bool {
            switch self {
            case .queued, .running: false
            case .finished, .failed, .delivered: true
            }
        }
    }

    init(
        number: Int, session: String, kind: Kind, request: Request, created: Int64,
        earliestBegin: Date? = nil, key: UInt64 = 0,
        settings: BackgroundSettings = BackgroundSettings(SessionSettings()),
        description: String? = nil, priority: Float = 0.5
    ) {
        self.number = number
        self.session = session
        self.kind = kind
        self.request = request
        self.created = created
        self.earliestBegin = earliestBegin.map { Self.time(of: $0) }
        self.key = key
        self.settings = settings
        self.description = description
        self.priority = priority
        self.state = .queued
        self.attempts = 0
        if case .download(let resumeData) = kind { part.resumeData = resumeData }
    }

    /// A copy with another number.
    func renumbered(_ number: Int) -> BackgroundTaskRecord {
        var record = self
        record.number = number
        return record
    }

    var isSuspended: Bool { suspendedSince != nil }

    /// - Parameter now: Seconds since 1970.
    mutating func suspend(at now: Int64) {
        if suspendedSince == nil { suspendedSince = now }
    }

    mutating func resume(at now: Int64) {
        guard let since = suspendedSince else { return }
        suspendedSince = nil
        created = min(created + max(0, now - since), Self.times.upperBound)
    }

    /// What happens to a task.
    enum Event: Sendable {
        case start
        case progress(moved: Int64, expected: Int64)
        /// The attempt ended early, or the helper exits: it will be started again.
        case pause
        /// The helper that ran it ended unexpectedly.
        case interrupt
        case finish(Answer, file: String?)
        case fail(URLError, resumeData: Data?)
        /// Its completion was reported to the delegate.
        case deliver
    }

    /// Resets the interruptions when more has arrived than ever before: the task makes progress.
    mutating func note(reached byteCount: Int64) {
        guard byteCount > reachedByteCount ?? 0 else { return }
        reachedByteCount = byteCount
        interruptions = 0
    }

    /// What an event has led to.
    enum EventResult {
        case applied
        /// The state does not allow it: nothing has changed.
        case notAllowed
    }

    mutating func apply(_ event: Event) -> EventResult {
        switch (state, event) {
        case (.queued, .start):
            state = .running(moved: 0, expected: -1)
            attempts += 1
        case (.running, .progress(let moved, let expected)) where moved >= 0 && expected >= -1:
            state = .running(moved: moved, expected: expected)
        case (.running, .pause):
            state = .queued
            interruptions = 0
        case (.running, .interrupt):
            state = .queued
            interruptions += 1
        case (.queued, .finish(let answer, let file)), (.running, .finish(let answer, let file)):
            guard file.map(PrivateFolder.isPlain) ?? true else { return .notAllowed }
            state = .finished(answer, file: file)
        case (.queued, .fail(let error, let data)), (.running, .fail(let error, let data)):
            state = .failed(code: error.errorCode, text: error.underlyingText, resumeData: data)
        case (.finished, .deliver), (.failed, .deliver):
            state = .delivered
        default:
            return .notAllowed
        }
        return .applied
    }
}

// MARK: - Coding

// One flat object: earlier helpers have written it, and later ones will read it.

extension BackgroundTaskRecord {
    private enum CodingKeys: CodingKey {
        case number, session, kind, request, created, earliestBegin, key, settings, description
        case priority, suspendedSince, upload, mayBeSent, reachedByteCount, state, history, attempts
        case interruptions
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        number = try values.decode(Int.self, forKey: .number)
        session = try values.decode(String.self, forKey: .session)
        kind = try values.decode(Kind.self, forKey: .kind)
        request = try values.decode(Request.self, forKey: .request)
        created = try values.decode(Int64.self, forKey: .created)
        earliestBegin = try values.decodeIfPresent(Double.self, forKey: .earliestBegin)
        key = try values.decode(UInt64.self, forKey: .key)
        settings = try values.decode(BackgroundSettings.self, forKey: .settings)
        description = try values.decodeIfPresent(String.self, forKey: .description)
        priority = try values.decode(Float.self, forKey: .priority)
        suspendedSince = try values.decodeIfPresent(Int64.self, forKey: .suspendedSince)
        part = try Part(from: decoder)
        upload = try values.decodeIfPresent(Upload.self, forKey: .upload)
        mayBeSent = try values.decodeIfPresent(Bool.self, forKey: .mayBeSent)
        reachedByteCount = try values.decodeIfPresent(Int64.self, forKey: .reachedByteCount)
        state = try values.decode(State.self, forKey: .state)
        history = try values.decode(BackgroundHistory.self, forKey: .history)
        attempts = try values.decode(Int.self, forKey: .attempts)
        interruptions = try values.decode(Int.self, forKey: .interruptions)
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(number, forKey: .number)
        try values.encode(session, forKey: .session)
        try values.encode(kind, forKey: .kind)
        try values.encode(request, forKey: .request)
        try values.encode(created, forKey: .created)
        try values.encodeIfPresent(earliestBegin, forKey: .earliestBegin)
        try values.encode(key, forKey: .key)
        try values.encode(settings, forKey: .settings)
        try values.encodeIfPresent(description, forKey: .description)
        try values.encode(priority, forKey: .priority)
        try values.encodeIfPresent(suspendedSince, forKey: .suspendedSince)
        try part.encode(to: encoder)
        try values.encodeIfPresent(upload, forKey: .upload)
        try values.encodeIfPresent(mayBeSent, forKey: .mayBeSent)
        try values.encodeIfPresent(reachedByteCount, forKey: .reachedByteCount)
        try values.encode(state, forKey: .state)
        try values.encode(history, forKey: .history)
        try values.encode(attempts, forKey: .attempts)
        try values.encode(interruptions, forKey: .interruptions)
    }
}
