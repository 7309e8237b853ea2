public import ClubStore
public import FoundationEssentials

/// Something done here that the club does not have yet.
public struct WaitingChange: Sendable, Identifiable, Hashable {
    public enum Action: Sendable, Hashable {
        /// A text is to be written; its bytes are asked for when they are sent.
        case write(WriteMode)
        case move(to: RemotePath)
        case delete
    }

    /// Grows from change to change; they are sent in this order.
    public let id: Int64
    public var action: Action
    /// Where the file is before the change.
    public var path: RemotePath
    /// The file as it is before the change, where there was one; nil for a new note.
    public var base: Base?
    /// Of the text, in bytes; of a moved file, what it was.
    public var byteCount: Int64
    public var contentHash: String?
    public var date: Date
    /// Whether it is on its way at this moment.
    public var isSending: Bool
    /// How often it was sent; it may have arrived although no answer came.
    public var attempts: Int
    /// Why the club has refused it, as a sentence; nil while it only waits.
    public var problem: String?

    public enum Base: Sendable, Hashable {
        /// What the club had.
        case state(Revision, contentHash: String?)
        /// What another change will make of it.
        case change(WaitingChange.ID)
    }

    /// The state that it changes; nil where there was none.
    public var baseState: (revision: Revision, contentHash: String?)? {
        switch base {
        case .state(let revision, let hash): (revision, hash)
        case .change(let id): (.waiting(for: id), nil)
        case nil: nil
        }
    }

    /// Where the file will be; nil when it will be nowhere.
    public var destination: RemotePath? {
        switch action {
        case .write: path
        case .move(let destination): destination
        case .delete: nil
        }
    }

    /// What is there no more after a deletion, as far as the change knows it.
    var gone: RemoteFile {
        RemoteFile(
            path: path, revision: baseState?.revision ?? Revision(rawValue: ""),
            byteCount: byteCount, modified: date,
            contentHash: baseState?.contentHash ?? contentHash)
    }

    /// The file as it is shown while it waits; nil after a deletion.
    public var file: RemoteFile? {
        destination.map {
            RemoteFile(
                path: $0, revision: .waiting(for: id), byteCount: byteCount, modified: date,
                contentHash: contentHash)
        }
    }
}

extension Revision {
    /// No server's: a header cannot hold a NUL.
    private static let prefix = "\u{0}change "

    /// The state of a file while a change of it waits.
    public static func waiting(for change: WaitingChange.ID) -> Revision {
        Revision(rawValue: "\(prefix)\(change)")
    }

    /// The change that has made this state; nil for a state that a server knows.
    public var waitingChange: WaitingChange.ID? {
        guard rawValue.hasPrefix(Self.prefix) else { return nil }
        return Int64(rawValue.dropFirst(Self.prefix.count))
    }
}

extension WriteMode {
    /// As the outbox writes it; the base stands in columns of its own.
    var columnName: String {
        switch self {
        case .create: "create"
        case .add: "add"
        case .overwrite: "overwrite"
        case .update: "update"
        }
    }
}
