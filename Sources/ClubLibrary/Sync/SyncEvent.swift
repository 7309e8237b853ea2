public import ClubStore

/// What became of a change that waited.
public enum SyncEvent: Sendable {
    /// The club has it; `file` is nil after a deletion.
    case sent(WaitingChange, file: RemoteFile?)
    /// Another member had changed the note too; the club has both changes now.
    case merged(WaitingChange, file: RemoteFile)
    /// Another member had changed the same lines, or taken the name: the text is beside theirs.
    case keptBoth(WaitingChange, file: RemoteFile)
    /// Not deleted: another member has changed it since.
    case notDeleted(WaitingChange)
    /// Not renamed: another member has deleted or renamed it.
    case gone(WaitingChange)
    /// The club refuses it; it waits for a person.
    case refused(WaitingChange, StoreError)
}

extension StoreError {
    /// Whether it says nothing about what was asked, only that the club cannot be asked now: the same may
    /// work later.
    public var isConnectionFailure: Bool {
        switch code {
        case .offline, .timedOut, .untrusted, .unauthorized, .rateLimited, .serverUnavailable,
            .serverError, .badAnswer, .cancelled, .locked:
            true
        default: false
        }
    }
}
