import DropboxAPI
import Glibc

/// Uploads in several requests, and uploads whose commit was rejected.
///
/// A session is a file in the staging folder with its name, so it survives the server; its offset
/// is the file's length.
actor UploadSessions {
    private let access: FolderAccess
    private var sessions: [String: Session] = [:]
    /// Sessions whose bytes were committed, latest last.
    private var committed: [String] = []

    private struct Session {
        let file: StagedFile
        let isConcurrent: Bool
        var isClosed: Bool
        /// Whether it holds an upload whose commit was rejected; clients rarely request those
        /// again.
        var isRefused = false
        /// Whether a request is appending to it now.
        var isBusy = false
        /// The received ranges of a concurrent session, in order.
        var pieces: [Range<Int64>] = []
        /// Seconds since 1970.
        var lastUse = time(nil)
    }

    /// A session borrowed by one request, which must return it.
    struct Loan: Sendable {
        let id: String
        let file: StagedFile
        let isConcurrent: Bool
    }

    /// Dropbox drops sessions after seven days.
    static let lifetimeSeconds = 7 * 86_400
    /// The maximum number of sessions; the least recently used is dropped first.
    static let limit = 200
    /// Without a request for so long, a session is not in use at this moment.
    static let unusedSeconds = 10
    /// The number of committed sessions to remember; a request for one is an error, or follows a lost
    /// response.
    static let committedLimit = 1_000
    /// The maximum total size of rejected uploads on disk.
    static let refusedByteLimit: Int64 = 1 << 30
    /// 2^41 - 2^22.
    static let fileByteLimit: UInt64 = 2_199_019_061_248
    static let concurrentUnit: Int64 = 4 << 20

    private static let prefix = "session-"

    init(access: FolderAccess) {
        self.access = access
    }

    /// Reopens sessions of an earlier run, and removes everything that was never finished.
    func start() {
        let names = (try? FolderAccess.names(in: access.staging.number)) ?? []
        for name in names.compactMap(\.text) where name != RevisionFolder.nameInClub {
            guard name.hasPrefix(Self.prefix), !name.hasSuffix("-concurrent"),
                let status = try? FileStatus.of(name, in: access.staging.number),
                status.kind == .file,
                status.signature.seconds > Int64(time(nil)) - Int64(Self.lifetimeSeconds),
                let file = try? StagedFile(reopening: name, in: access)
            else {
                access.discard(staged: name)
                continue
            }
            // Whether it was closed is unknown; a closed one can only be finished anyway.
            let id = String(name.dropFirst(Self.prefix.count))
            sessions[id] = Session(file: file, isConcurrent: false, isClosed: false)
        }
    }

    /// Keeps unfinished sessions on disk for the next run.
    func stop() {
        for session in sessions.values where !session.isConcurrent && !session.isRefused {
            session.file.keep()
        }
        sessions = [:]
    }

    // MARK: - From start to finish

    /// Creates an empty session and lends it.
    func begin(isConcurrent: Bool) throws(SystemError) -> Loan {
        let id = RandomText.hexadecimal(byteCount: 16)
        let name = Self.prefix + id + (isConcurrent ? "-concurrent" : "")
        let file = try StagedFile(in: access, name: name, hashes: !isConcurrent)
        makeRoom()
        var session = Session(file: file, isConcurrent: isConcurrent, isClosed: false)
        session.isBusy = true
        sessions[id] = session
        return Loan(id: id, file: file, isConcurrent: isConcurrent)
    }

    /// Keeps an upload that could not be committed.
    ///
    /// - Returns: The session that now holds its bytes.
    func adopt(_ file: StagedFile) throws(SystemError) -> String {
        let id = RandomText.hexadecimal(byteCount: 16)
        // With another prefix: the next run does not reopen it.
        let name = "refused-" + id
        try file.rename(to: name)
        let adopted = try StagedFile(reopening: name, in: access)
        file.keep()
        makeRoom()
        var session = Session(file: adopted, isConcurrent: false, isClosed: false)
        session.isRefused = true
        sessions[id] = session
        dropOldestRefused(but: id)
        return id
    }

    enum Refusal: Error {
        case lookup(UploadSessionLookupError)
        /// Another request is using it.
        case busy
    }

    /// Lends a session to a request that resumes at the client's offset.
    func borrow(
        _ cursor: UploadSessionCursor, toFinish: Bool = false
    ) throws(Refusal) -> Loan {
        guard let session = sessions[cursor.sessionID],
            session.lastUse > time(nil) - Self.lifetimeSeconds
        else {
            // "Closed (i.e. committed)", according to the specification.
            throw .lookup(committed.contains(cursor.sessionID) ? .closed : .notFound)
        }
        if session.isConcurrent {
            return try borrowConcurrent(cursor, session, toFinish: toFinish)
        }
        if session.isBusy { throw .busy }
        if session.isClosed, !toFinish { throw .lookup(.closed) }
        guard cursor.offset == UInt64(session.file.size) else {
            throw .lookup(.incorrectOffset(correctOffset: UInt64(session.file.size)))
        }
        sessions[cursor.sessionID]?.isBusy = true
        return Loan(id: cursor.sessionID, file: session.file, isConcurrent: false)
    }

    private func borrowConcurrent(
        _ cursor: UploadSessionCursor, _ session: Session, toFinish: Bool
    ) throws(Refusal) -> Loan {
        if toFinish {
            if session.isBusy { throw .busy }
            sessions[cursor.sessionID]?.isBusy = true
        } else if cursor.offset % UInt64(Self.concurrentUnit) != 0
            || cursor.offset >= Self.fileByteLimit
        {
            throw .lookup(.concurrentSessionInvalidOffset)
        }
        return Loan(id: cursor.sessionID, file: session.file, isConcurrent: true)
    }

    /// Takes a session back.
    func giveBack(_ loan: Loan, close: Bool = false) {
        sessions[loan.id]?.isBusy = false
        sessions[loan.id]?.lastUse = time(nil)
        if close { sessions[loan.id]?.isClosed = true }
    }

    /// Records a range of a concurrent session.
    func add(_ piece: Range<Int64>, to loan: Loan) {
        guard var session = sessions[loan.id], !piece.isEmpty else { return }
        var merged = piece
        session.pieces.removeAll { other in
            guard
                other.overlaps(merged) || other.upperBound == merged.lowerBound
                    || other.lowerBound == merged.upperBound
            else { return false }
            merged =
                min(other.lowerBound, merged.lowerBound)..<max(other.upperBound, merged.upperBound)
            return true
        }
        session.pieces.append(merged)
        sessions[loan.id] = session
    }

    /// Why a concurrent session cannot be finished yet, or nil.
    func problemFinishing(_ loan: Loan, size: UInt64) -> UploadSessionFinishError? {
        guard let session = sessions[loan.id], session.isConcurrent else { return nil }
        guard session.isClosed else { return .concurrentSessionNotClosed }
        let whole =
            size == 0 ? session.pieces.isEmpty : session.pieces == [0..<Int64(clamping: size)]
        return whole ? nil : .concurrentSessionMissingData
    }

    /// Removes a session and its bytes.
    func end(_ loan: Loan) {
        sessions[loan.id] = nil
    }

    /// Ends a session whose bytes are committed.
    func endCommitted(_ loan: Loan) {
        sessions[loan.id] = nil
        if committed.count >= Self.committedLimit { committed.removeFirst() }
        committed.append(loan.id)
    }

    enum Dropped { case some, none }

    /// Drops the sessions without a request for a while: of uploads that were cancelled, have failed or are paused.
    /// One that is continued starts over.
    func dropUnused() -> Dropped {
        let count = sessions.count
        drop(unusedFor: Self.unusedSeconds)
        return sessions.count < count ? .some : .none
    }

    private func drop(unusedFor seconds: Int) {
        let horizon = time(nil) - seconds
        sessions = sessions.filter { $0.value.isBusy || $0.value.lastUse > horizon }
    }

    private func dropOldestRefused(but latest: String) {
        var refused = sessions.filter { $0.value.isRefused && !$0.value.isBusy && $0.key != latest }
            .sorted { $0.value.lastUse < $1.value.lastUse }[...]
        var size = refused.reduce(sessions[latest]?.file.size ?? 0) { $0 + $1.value.file.size }
        while size > Self.refusedByteLimit, let oldest = refused.popFirst() {
            size -= oldest.value.file.size
            sessions[oldest.key] = nil
        }
    }

    private func makeRoom() {
        drop(unusedFor: Self.lifetimeSeconds)
        while sessions.count >= Self.limit,
            let oldest = sessions.filter({ !$0.value.isBusy }).min(by: {
                $0.value.lastUse < $1.value.lastUse
            })
        {
            sessions[oldest.key] = nil
        }
    }
}
