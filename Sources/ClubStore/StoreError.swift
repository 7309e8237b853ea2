/// Why a store did not do what it was asked.
public struct StoreError: Error, Sendable {
    public var code: Code
    public var operation: Operation

    /// What it was about; nil for calls about no path in particular.
    public var path: RemotePath?

    /// The store's or the system's own words, for logs. They are not for people, and not to
    /// be trusted on a screen.
    public var detail: String?

    /// The store's own words for people, where it has any: for a screen that takes nothing but text
    /// out of them.
    public var userMessage: String?

    /// The error that this one explains, where there was one.
    public var underlying: (any Error)?

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

    /// What was being attempted.
    public enum Operation: String, CaseIterable, Hashable, Sendable {
        case connect, account, list, changes, waitForChanges, metadata, fetch, put, upload,
            download, thumbnail, delete, move, createFolder, search

        /// A path was made from a name; no store was asked.
        case naming
    }

    /// What is the matter, in the terms of what the caller can do about it.
    public enum Code: Hashable, Sendable {
        /// Nothing is at the path.
        case notFound

        /// Something else is at the path, or a newer revision than the one to replace;
        /// nothing was changed. The revision there, where the store tells and it is a file.
        case conflict(serverRevision: Revision?)

        /// A folder where a file was needed, or a file where a folder was.
        case wrongKind

        /// The credentials are missing, wrong, expired or revoked, and could not be
        /// renewed: sign in again.
        case unauthorized

        /// Signed in, but this member may not do this.
        case forbidden

        /// The store will not, for a reason that this program does not know. Its own words may
        /// tell: ``StoreError/userMessage``.
        case refused

        /// Somebody else has locked it, even after waiting.
        case locked

        /// The store did not understand; a fault of this program. Never repeated.
        case badRequest

        /// Too many requests, even after waiting as told. When to come back, where the store tells.
        case rateLimited(retryAfter: Duration?)

        /// No room left for this member.
        case overQuota

        /// The store is there but cannot serve now, even after waiting.
        case serverUnavailable(retryAfter: Duration?)

        /// The store failed in itself, repeatedly.
        case serverError

        /// Nothing answers: no network, no such host, connection refused or broken.
        case offline

        /// Something answers, but cannot prove that it is the server it should be: its certificate is
        /// of nobody known, out of date, for another name, or not the one that was agreed on.
        case untrusted

        /// The server said yes, and what was asked for cannot be seen there afterwards: it was not done.
        case withoutEffect

        /// It took too long.
        case timedOut

        /// The caller cancelled it.
        case cancelled

        /// What came is no answer of this kind of store: HTML from a proxy, cut off or
        /// senseless JSON.
        case badAnswer

        /// The name cannot be stored.
        case nameNotAllowed

        /// Larger than the call or the store takes.
        case tooLarge

        /// The cursor is of no use any more: list anew.
        case cursorReset

        /// No thumbnail can be made of it: no picture, a broken one, or a kind the store
        /// does not know.
        case noThumbnail

        /// The bytes that came are not those that the store promised (or that were sent):
        /// hash or length differ.
        case damaged

        /// The file changed while it was being transferred.
        case changedMeanwhile

        /// The local file to send cannot be read, or is no file.
        case fileUnreadable

        /// The local file to receive into cannot be written.
        case fileUnwritable
    }
}

extension StoreError.Code: CaseIterable {
    /// One of each kind, without revisions or times; for tables.
    public static var allCases: [StoreError.Code] {
        [
            .notFound, .conflict(serverRevision: nil), .wrongKind, .unauthorized, .forbidden,
            .refused, .locked, .badRequest, .rateLimited(retryAfter: nil), .overQuota,
            .serverUnavailable(retryAfter: nil), .serverError, .offline, .untrusted,
            .withoutEffect, .timedOut, .cancelled,
            .badAnswer, .nameNotAllowed, .tooLarge, .cursorReset, .noThumbnail, .damaged,
            .changedMeanwhile, .fileUnreadable, .fileUnwritable,
        ]
    }
}

extension StoreError: CustomStringConvertible {
    /// For logs, in one line: `put /a.txt: conflict(serverRevision: nil) (path/conflict/file)`.
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
    /// Whether a write that ended so may have been done, and a look is worth while. Not after a time-out:
    /// whoever waits has waited long enough.
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
    /// The permission that the app lacks at Dropbox, where that is what is the matter.
    package var missingScope: String? { (underlying as? DropboxRefusal)?.requiredScope }
}
