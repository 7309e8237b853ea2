public import ClubStore

/// The result of sending a change.
public enum SyncEvent: Sendable {
    /// Sent; `file` is nil after a deletion.
    case sent(WaitingChange, file: RemoteFile?)
    /// Another member had changed the note, too; the club has the merged text.
    case merged(WaitingChange, file: RemoteFile)
    /// Another member had changed the same lines, or taken the name: the text is stored beside theirs.
    case keptBoth(WaitingChange, file: RemoteFile)
    /// Not deleted: another member has changed it since.
    case notDeleted(WaitingChange)
    /// Not renamed: another member has deleted or renamed it.
    case gone(WaitingChange)
    /// The club refuses it; it waits for the user.
    case refused(WaitingChange, StoreError)
}

extension StoreError {
    /// Whether the error only means that the club is unreachable: retrying may work later.
    public var isConnectionFailure: Bool {
        switch code {
        case .offline, .timedOut, .untrusted, .unauthorized, .rateLimited, .serverUnavailable,
            .serverError, .badAnswer, .cancelled, .locked:
            true
        default: false
        }
    }
}
