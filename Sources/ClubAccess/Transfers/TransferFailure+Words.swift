package import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures

extension TransferItem {
    /// Why it waits or has failed, in the reader's language. An earlier version wrote the sentence itself.
    package var reason: String? {
        status.failure?.sentence(about: order) ?? status.reason
    }

    /// The same for a place with little room: what is wrong comes first. Nil where it does so anyway.
    package var shortReason: String? {
        status.failure.flatMap { $0.pictureError?.shortUploadSentence }
    }

    /// Whether a request waits to be repeated.
    package var isRetrying: Bool { waitingRetry != nil }

    /// Why a request waits to be repeated, and for how long; nil if none does.
    package var retrySentence: String? { waitingRetry?.sentence }

    private var waitingRetry: RetryNotice? {
        state == .running ? retryNotice(at: Date()) : nil
    }

    /// The reason for which a request is repeated; nil if it is not, or for another reason.
    func retryNotice(at now: Date) -> RetryNotice? {
        guard let next = status.nextAttempt, next > now, let reason = status.failure?.retryReason
        else { return nil }
        return RetryNotice(
            reason: reason, wait: .seconds(min(next.timeIntervalSince(now), 1e9)))
    }
}

extension TransferFailure {
    /// A request of an active transfer will be repeated; nil if it is only silent for now.
    init?(_ notice: RetryNotice) {
        let code: StoreError.Code
        switch notice.reason {
        case .busy: code = .rateLimited(retryAfter: nil)
        case .unavailable: code = .serverUnavailable(retryAfter: nil)
        case .locked: code = .locked
        case .failed: code = .serverError
        case .unreachable, .disconnected: code = .offline
        case .silent: return nil
        }
        self.init(.store, code: Self.name(of: code))
        if notice.reason == .unreachable { values["connection"] = Self.unreachable }
    }

    /// In files: it stays as it is.
    private static let unreachable = "unreachable"

    /// Nil unless it concerns the server or the connection.
    fileprivate var retryReason: RetryNotice.Reason? {
        guard kind == .store, values["cause"] == nil, values["destination"] == nil,
            values["embedded"] == nil, values["secret"] == nil,
            let code = Self.code(named: code, seconds: nil)
        else { return nil }
        return switch code {
        case .rateLimited: .busy
        case .serverUnavailable: .unavailable
        case .locked: .locked
        case .serverError, .badAnswer: .failed
        case .offline where values["connection"] == Self.unreachable: .unreachable
        case .offline, .timedOut: .disconnected
        default: nil
        }
    }
}

extension TransferStatus {
    /// Clears the reason when the transfer continues.
    mutating func forgetReason() {
        (failure, reason, nextAttempt) = (nil, nil, nil)
    }

    /// Records why it stopped. The sentence is for a program that does not know the cause.
    mutating func note(_ failure: TransferFailure, about order: TransferOrder) {
        self.failure = failure
        reason = failure.sentence(about: order)
    }
}

extension TransferFailure {
    /// Nil for a cause that only a newer version knows.
    func sentence(about order: TransferOrder) -> String? {
        switch kind {
        case .store: storeSentence(about: order)
        case .picture: pictureSentence(about: order)
        case .journal: journalSentence
        default: nil
        }
    }
}

// MARK: - The club

extension TransferFailure {
    init(_ error: StoreError, club: ErrorMessage.ClubKind) {
        self.init(.store, code: Self.name(of: error.code))
        values["operation"] = error.operation.rawValue
        values["path"] = error.path?.string
        values["detail"] = error.detail
        values["message"] = error.userMessage
        if error.wasAccepted { values["accepted"] = "yes" }
        values["club"] = club == .embedded ? "embedded" : "remote"
        if let wait = error.code.retryAfter { values["seconds"] = "\(wait.components.seconds)" }
        if error.connectionFailure == .metered { values["cause"] = "metered" }
        if error.isUnreachable { values["connection"] = Self.unreachable }
        switch error.underlying {
        case let problem as DestinationProblem: values["destination"] = problem.rawValue
        case let problem as EmbeddedClubError: note(problem)
        case let problem as SecretError: note(problem)
        default: break
        }
    }

    private func storeSentence(about order: TransferOrder) -> String? {
        if let problem = values["destination"].flatMap(DestinationProblem.init(rawValue:)),
            let sentence = problem.sentence(about: order.file)
        {
            return sentence
        }
        if values["cause"] == "metered" { return ErrorMessage.meteredText }
        guard let code = Self.code(named: code, seconds: values["seconds"]),
            let operation = values["operation"].flatMap(StoreError.Operation.init(rawValue:))
        else { return nil }
        var error = StoreError(
            code, during: operation, at: values["path"].flatMap { try? RemotePath(validating: $0) },
            detail: values["detail"], underlying: embeddedProblem ?? secretProblem)
        error.userMessage = values["message"]
        error.wasAccepted = values["accepted"] != nil
        return ErrorMessage(error, club: values["club"] == "remote" ? .remote : .embedded).text
    }

    /// `rateLimited` of `rateLimited(retryAfter: 20 s)`.
    static func name(of code: StoreError.Code) -> String {
        String("\(code)".prefix { $0 != "(" })
    }

    static func code(named name: String, seconds: String?) -> StoreError.Code? {
        let wait = seconds.flatMap(Int.init).map { Duration.seconds($0) }
        return switch StoreError.Code.allCases.first(where: { Self.name(of: $0) == name }) {
        case .rateLimited: .rateLimited(retryAfter: wait)
        case .serverUnavailable: .serverUnavailable(retryAfter: wait)
        case let code: code
        }
    }
}

extension StoreError.Code {
    fileprivate var retryAfter: Duration? {
        switch self {
        case .rateLimited(let wait), .serverUnavailable(let wait): wait
        default: nil
        }
    }
}

// MARK: - The club on this computer, and the sign-in

extension TransferFailure {
    private mutating func note(_ problem: EmbeddedClubError) {
        let (name, first, second): (String, String?, String?) =
            switch problem {
            case .noRuntimeFolder(let sentence): ("noRuntimeFolder", sentence, nil)
            case .lostFolder(let folder): ("lostFolder", folder, nil)
            case .programNotStarted(let reason): ("programNotStarted", reason, nil)
            case .closedFolder(let folder, let reason): ("closedFolder", folder, reason)
            case .serverNotReady(let log): ("serverNotReady", log, nil)
            case .folderServedElsewhere(let folder): ("folderServedElsewhere", folder, nil)
            case .tooManyOpenFiles(let sentence): ("tooManyOpenFiles", sentence, nil)
            }
        (values["embedded"], values["first"], values["second"]) = (name, first, second)
    }

    private var embeddedProblem: EmbeddedClubError? {
        let (first, second) = (values["first"] ?? "", values["second"] ?? "")
        return switch values["embedded"] {
        case "noRuntimeFolder": .noRuntimeFolder(first)
        case "lostFolder": .lostFolder(first)
        case "programNotStarted": .programNotStarted(reason: first)
        case "closedFolder": .closedFolder(folder: first, reason: second)
        case "serverNotReady": .serverNotReady(log: first)
        case "folderServedElsewhere": .folderServedElsewhere(folder: first)
        case "tooManyOpenFiles": .tooManyOpenFiles(first)
        default: nil
        }
    }

    private mutating func note(_ problem: SecretError) {
        let (name, first, second): (String, String?, String?) =
            switch problem {
            case .noKeyring: ("noKeyring", nil, nil)
            case .keyringLocked: ("keyringLocked", nil, nil)
            case .file(let path, let reason): ("file", path, reason)
            case .forAnother(let club): ("forAnother", club, nil)
            }
        (values["secret"], values["first"], values["second"]) = (name, first, second)
    }

    private var secretProblem: SecretError? {
        let (first, second) = (values["first"] ?? "", values["second"] ?? "")
        return switch values["secret"] {
        case "noKeyring": .noKeyring
        case "keyringLocked": .keyringLocked
        case "file": .file(path: first, reason: second)
        case "forAnother": .forAnother(club: first)
        default: nil
        }
    }
}

// MARK: - The photo

extension TransferFailure {
    init(_ error: PictureError) {
        self.init(.picture, code: "\(error.code)")
        values["format"] = error.format.map { "\($0)" }
    }

    private func pictureSentence(about order: TransferOrder) -> String? {
        pictureError?.uploadSentence(about: URL(filePath: order.file).lastPathComponent)
    }

    var pictureError: PictureError? {
        guard kind == .picture,
            let code = PictureError.Code.allCases.first(where: { "\($0)" == self.code })
        else {
            return nil
        }
        let format = FileFormat.allCases.first { "\($0)" == values["format"] }
        return PictureError(code, operation: "prepare", format: format)
    }
}

// MARK: - The list of transfers

extension TransferFailure {
    /// Why a journal's transfers are not performed.
    enum JournalProblem: String {
        case cannotBeLocked, hasNoLocks
    }

    init(_ problem: JournalProblem, folder: String, reason: String? = nil) {
        self.init(.journal, code: problem.rawValue)
        (values["folder"], values["reason"]) = (folder, reason)
    }

    private var journalSentence: String? {
        let folder = values["folder"] ?? ""
        let problem: String
        switch JournalProblem(rawValue: code) {
        case .cannotBeLocked:
            problem = localized("cannot be locked: \(values["reason"] ?? "")")
        case .hasNoLocks: problem = localized("cannot be locked by its file system")
        case nil: return nil
        }
        return localized(
            "The list of transfers in \(folder) \(problem). Set XDG_STATE_HOME to a folder "
                + "on a disk of this computer, or try again.")
    }
}
