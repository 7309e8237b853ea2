public import ClubStore
public import FoundationEssentials

/// A change made here that was not sent to the club yet.
public struct WaitingChange: Sendable, Identifiable, Hashable {
    public enum Action: Sendable, Hashable {
        /// Writes a text; its bytes are loaded when it is sent.
        case write(RemoteWriteMode)
        case move(to: RemotePath)
        case delete
    }

    /// Increasing; changes are sent in this order.
    public let id: Int64
    public var action: Action
    /// The file's path before the change.
    public var path: RemotePath
    /// The file's revision before the change; nil for a new note.
    public var base: Base?
    /// The size of the text in bytes; for a move, of the moved file.
    public var byteCount: Int64
    public var contentHash: String?
    /// The date of the file as it is shown while the change waits.
    public var modified: Date
    /// When the change was made.
    public var date: Date
    /// Whether it is being sent.
    public var isSending: Bool
    /// How often it was sent; it may have arrived without a response.
    public var attempts: Int
    /// Why the club has refused it, as a sentence; nil while it waits.
    public var problem: String?

    public enum Base: Sendable, Hashable {
        /// A revision in the club.
        case state(Revision, contentHash: String?)
        /// The result of another change.
        case change(WaitingChange.ID)
    }

    /// The revision that it changes; nil if there was none.
    public var baseState: (revision: Revision, contentHash: String?)? {
        switch base {
        case .state(let revision, let hash): (revision, hash)
        case .change(let id): (.waiting(for: id), nil)
        case nil: nil
        }
    }

    /// The file's path after the change; nil after a deletion.
    public var destination: RemotePath? {
        switch action {
        case .write: path
        case .move(let destination): destination
        case .delete: nil
        }
    }

    /// The deleted file, as far as the change knows it.
    public var gone: RemoteFile {
        RemoteFile(
            path: path, revision: baseState?.revision ?? Revision(rawValue: ""),
            byteCount: byteCount, modified: modified,
            contentHash: baseState?.contentHash ?? contentHash)
    }

    /// The file as shown while the change waits; nil after a deletion.
    public var file: RemoteFile? {
        destination.map {
            RemoteFile(
                path: $0, revision: .waiting(for: id), byteCount: byteCount,
                modified: modified, contentHash: contentHash)
        }
    }
}

extension Revision {
    /// Cannot be a server's: a header cannot contain NUL.
    private static let prefix = "\u{0}change "

    /// The revision of a file with a waiting change.
    public static func waiting(for change: WaitingChange.ID) -> Revision {
        Revision(rawValue: "\(prefix)\(change)")
    }

    private static let wordPrefix = "waiting-"

    /// The revision in a form that can be written and typed: `waiting-3` for that of a waiting change.
    public var word: String {
        waitingChange.map { Self.wordPrefix + "\($0)" } ?? rawValue
    }

    /// Creates a revision from its ``word``.
    public init(word: String) {
        if word.hasPrefix(Self.wordPrefix), let id = Int64(word.dropFirst(Self.wordPrefix.count)) {
            self = .waiting(for: id)
        } else {
            self.init(rawValue: word)
        }
    }

    /// The change that creates this revision; nil for a server's revision.
    public var waitingChange: WaitingChange.ID? {
        guard rawValue.hasPrefix(Self.prefix) else { return nil }
        return Int64(rawValue.dropFirst(Self.prefix.count))
    }
}

extension RemoteWriteMode {
    /// The value in the outbox's table; the base has its own columns.
    var columnName: String {
        switch self {
        case .create: "create"
        case .add: "add"
        case .overwrite: "overwrite"
        case .update: "update"
        }
    }
}
