/// Why a store operation failed.
public struct StoreError: Error, Sendable {
    public var code: Code
    public var operation: Operation

    /// The path concerned; nil for calls without one.
    public var path: RemotePath?

    /// The store's or the system's own message, for logs: not for people, and not trusted
    /// on a screen.
    public var detail: String?

    /// The store's own message for people, if it has one. Show it only where text from outside is
    /// sanitized.
    public var userMessage: String?

    /// The underlying error, if there is one.
    public var underlying: (any Error)?

    /// Whether the store had accepted the write before it failed. Of a conflict: what is there may be what was sent,
    /// changed by the server, so that another name would not help.
    public var wasAccepted = false

    /// Of a conflict of a new file: whether the one that has the name has exactly the bytes that were to be written.
    public var hasSameBytes = false

    /// Whether an earlier attempt of the same call got no clear answer: what stands in the way may be its work.
    public var followsUnclearAttempt = false

    /// Of `.untrusted`: the server, if it has shown a certificate.
    public var untrustedServer: UntrustedServer?

    public init(
        _ code: Code, during operation: Operation, at path: RemotePath? = nil,
        detail: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.operation = operation
        self.path = path
        self.detail = detail
        self.underlying = underlying
    }

    /// Whether the path is taken, or has a newer revision than the one to replace.
    public var isConflict: Bool { if case .conflict = code { true } else { false } }

    /// Whether something else has the name, so that another one may be free.
    public var isNameTaken: Bool { isConflict && !wasAccepted }

    /// The operation that failed.
    public enum Operation: String, CaseIterable, Hashable, Sendable {
        case connect, account, list, changes, waitForChanges, metadata, fetch, put, upload,
            download, thumbnail, delete, move, createFolder, search

        /// A path was made from a name; no request was sent.
        case naming
    }

    /// The kind of error, in terms of what the caller can do about it.
    public enum Code: Hashable, Sendable {
        /// Nothing is at the path.
        case notFound

        /// The path is taken, or has a newer revision than the one to replace; nothing was
        /// changed. Carries the current revision if the store reports it and it is a file.
        case conflict(serverRevision: Revision?)

        /// A folder has something in it that the club does not show: nothing was removed.
        case notEmpty

        /// A folder where a file was expected, or the reverse.
        case wrongKind

        /// The credentials are missing, wrong, expired or revoked, and could not be
        /// renewed: sign in again.
        case unauthorized

        /// Signed in, but this member lacks permission.
        case forbidden

        /// The store refused for a reason this program does not know.
        /// ``StoreError/userMessage`` may explain it.
        case refused

        /// Locked by someone else, even after retries.
        case locked

        /// The store rejected the request as malformed; a bug in this program. Never
        /// retried.
        case badRequest

        /// Too many requests, even after waiting as asked. With the time to wait, if the store
        /// gives one.
        case rateLimited(retryAfter: Duration?)

        /// The member's quota is used up.
        case overQuota

        /// The store is temporarily unavailable, even after retries.
        case serverUnavailable(retryAfter: Duration?)

        /// The store failed with an internal error, repeatedly.
        case serverError

        /// No connection: no network, unknown host, connection refused or lost.
        case offline

        /// The server's identity cannot be verified: its certificate is from an unknown authority,
        /// expired, for another name, or not the pinned one.
        case untrusted

        /// The server reported success, but the change is not visible afterwards: it was not made.
        case withoutEffect

        /// The request timed out.
        case timedOut

        /// The caller cancelled it.
        case cancelled

        /// The response is not one of this kind of store: HTML from a proxy, truncated or
        /// invalid JSON.
        case badAnswer

        /// The name cannot be stored.
        case nameNotAllowed

        /// Larger than the call or the store accepts.
        case tooLarge

        /// The cursor is no longer valid: list again.
        case cursorReset

        /// No thumbnail can be made: not a picture, a damaged one, or an unsupported
        /// format.
        case noThumbnail

        /// The bytes do not match what the store announced (or what was sent): hash or
        /// length differ.
        case damaged

        /// The file changed during the transfer.
        case changedMeanwhile

        /// The local file to send cannot be read, or is not a file.
        case fileUnreadable

        /// The local file to receive into cannot be written.
        case fileUnwritable
    }
}

extension StoreError.Code: CaseIterable {
    /// One of each code, without revisions or times; for tables.
    public static var allCases: [StoreError.Code] {
        [
            .notFound, .conflict(serverRevision: nil), .notEmpty, .wrongKind, .unauthorized,
            .forbidden,
            .refused, .locked, .badRequest, .rateLimited(retryAfter: nil), .overQuota,
            .serverUnavailable(retryAfter: nil), .serverError, .offline, .untrusted,
            .withoutEffect, .timedOut, .cancelled,
            .badAnswer, .nameNotAllowed, .tooLarge, .cursorReset, .noThumbnail, .damaged,
            .changedMeanwhile, .fileUnreadable, .fileUnwritable,
        ]
    }
}

extension StoreError: CustomStringConvertible {
    /// For logs, on one line: `put /a.txt: conflict(serverRevision: nil) (path/conflict/file)`.
    public var description: String {
        var text = operation.rawValue
        if let path { text += " \(path)" }
        text += ": \(code)"
        if let detail { text += " (\(ServerText.line(detail)))" }
        if let underlying { text += " [\(underlying)]" }
        return text
    }
}

extension StoreError.Code {
    /// Whether a write that failed this way may have succeeded, so that checking is worthwhile. Not
    /// after a timeout: the caller has waited long enough.
    var mayHideSuccess: Bool {
        switch self {
        case .offline, .serverError, .serverUnavailable, .badAnswer: true
        default: false
        }
    }
}

extension StoreError.Operation {
    /// Whether it changes something in the store.
    var isWrite: Bool {
        switch self {
        case .put, .upload, .delete, .move, .createFolder: true
        default: false
        }
    }
}

extension StoreError {
    /// The Dropbox permission that the app lacks, if that is the cause.
    package var missingScope: String? { (underlying as? DropboxRefusal)?.requiredScope }

    /// Whether the server knows nothing of the address that was called: 404 from a gateway that is not there. The
    /// Dropbox API reports a missing file otherwise.
    package var isMissingAddress: Bool {
        guard let refusal = underlying as? DropboxRefusal else { return false }
        return refusal.status == 404 || refusal.status == 410
    }

    /// This computer has no sign-in to the club; no server was asked.
    package static var notSignedIn: StoreError {
        StoreError(.unauthorized, during: .connect, underlying: MissingSignIn())
    }

    /// Whether this computer has no sign-in to the club. Else a server has refused the one that it has.
    package var isNotSignedIn: Bool { underlying is MissingSignIn }
}

/// No password and no token is stored for a club.
private struct MissingSignIn: Error, CustomStringConvertible {
    var description: String { "not signed in" }
}
