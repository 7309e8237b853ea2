internal import ByteClubPictures
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

// A failure as it is stored: a code, and values by name. Files of earlier versions have them: none may change.

extension TransferFailure {
    private enum Key: String {
        case operation, path, detail, message, accepted, club, seconds, cause, connection
        case destination, embedded, secret, first, second
        case format
        case folder, reason
        case proxy
    }

    private subscript(key: Key) -> String? {
        get { values[key.rawValue] }
        set { values[key.rawValue] = newValue }
    }

    private static let metered = "metered"
    private static let unreachable = "unreachable"
}

// MARK: - The club

extension TransferFailure {
    init(_ error: StoreError, club: ErrorMessage.ClubKind) {
        self.init(error.code, isUnreachable: error.isUnreachable)
        self[.operation] = error.operation.rawValue
        self[.path] = error.path?.string
        self[.detail] = error.detail
        self[.message] = error.userMessage
        if error.wasAccepted { self[.accepted] = "yes" }
        self[.club] = club == .embedded ? "embedded" : "remote"
        if let wait = error.code.retryAfter { self[.seconds] = "\(wait.components.seconds)" }
        switch error.connectionFailure {
        case .metered: self[.cause] = Self.metered
        case .proxy(let trouble): self[.proxy] = trouble
        default: break
        }
        switch error.underlying {
        case let problem as DestinationProblem: self[.destination] = problem.rawValue
        case let problem as EmbeddedClubError: note(problem)
        case let problem as SecretError: note(problem)
        default: break
        }
    }

    init(_ code: StoreError.Code, isUnreachable: Bool) {
        self.init(.store, code: Self.name(of: code))
        if isUnreachable { self[.connection] = Self.unreachable }
    }

    var club: ErrorMessage.ClubKind { self[.club] == "remote" ? .remote : .embedded }
    var isMetered: Bool { self[.cause] == Self.metered }
    /// What a proxy failed with, worded for the middle of a sentence.
    var proxyTrouble: String? { self[.proxy] }
    /// Whether there was no connection at all.
    var isUnreachable: Bool { self[.connection] == Self.unreachable }

    /// Whether the cause is the club on this computer, or the sign-in kept there.
    var isAboutThisComputer: Bool { self[.embedded] != nil || self[.secret] != nil }

    /// Whether it is the server's, or the connection's.
    var isAboutServer: Bool {
        kind == .store && self[.cause] == nil && self[.destination] == nil && !isAboutThisComputer
    }

    var destinationProblem: DestinationProblem? {
        self[.destination].flatMap(DestinationProblem.init(rawValue:))
    }

    /// Nil for one that only a newer version knows.
    var storeCode: StoreError.Code? {
        let wait = self[.seconds].flatMap(Int.init).map { Duration.seconds($0) }
        return switch StoreError.Code.allCases.first(where: { Self.name(of: $0) == code }) {
        case .rateLimited: .rateLimited(retryAfter: wait)
        case .serverUnavailable: .serverUnavailable(retryAfter: wait)
        case let code: code
        }
    }

    /// The error as far as it is stored; nil if only a newer version knows it.
    var storeError: StoreError? {
        guard let code = storeCode,
            let operation = self[.operation].flatMap(StoreError.Operation.init(rawValue:))
        else { return nil }
        var error = StoreError(
            code, during: operation, at: self[.path].flatMap { try? RemotePath(validating: $0) },
            detail: self[.detail], underlying: embeddedProblem ?? secretProblem)
        error.userMessage = self[.message]
        error.wasAccepted = self[.accepted] != nil
        return error
    }

    /// `rateLimited` of `rateLimited(retryAfter: 20 s)`.
    static func name(of code: StoreError.Code) -> String {
        String("\(code)".prefix { $0 != "(" })
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
        (self[.embedded], self[.first], self[.second]) = (name, first, second)
    }

    private var embeddedProblem: EmbeddedClubError? {
        let (first, second) = (self[.first] ?? "", self[.second] ?? "")
        return switch self[.embedded] {
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
        (self[.secret], self[.first], self[.second]) = (name, first, second)
    }

    private var secretProblem: SecretError? {
        let (first, second) = (self[.first] ?? "", self[.second] ?? "")
        return switch self[.secret] {
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
        self[.format] = error.format.map { "\($0)" }
    }

    var pictureError: PictureError? {
        guard kind == .picture,
            let code = PictureError.Code.allCases.first(where: { "\($0)" == self.code })
        else {
            return nil
        }
        let format = FileFormat.allCases.first { "\($0)" == self[.format] }
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
        (self[.folder], self[.reason]) = (folder, reason)
    }

    var journalProblem: JournalProblem? {
        kind == .journal ? JournalProblem(rawValue: code) : nil
    }
    var journalFolder: String? { self[.folder] }
    var journalReason: String? { self[.reason] }
}
