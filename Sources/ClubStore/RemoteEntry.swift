public import FoundationEssentials

/// Names one state of one file: it changes with every write, and with nothing else.
///
/// Opaque; compare for equality only. Dropbox's `rev`, a WebDAV server's strong ETag.
public struct Revision: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// Names a moment in the life of a listed folder, to ask later for what has changed since.
public struct Cursor: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// What a store tells about one file, apart from its bytes.
public struct RemoteFile: Hashable, Sendable {
    public var path: RemotePath

    /// The name to show. Its case may differ from the one asked for: stores keep the case
    /// of the first write.
    public var name: String { path.name }

    public var revision: Revision
    public var byteCount: Int64

    /// When its content last changed, in whole seconds, as its writer's machine had it.
    public var modified: Date

    /// The hash of the bytes in Dropbox's form (64 hexadecimal digits); nil where it is not known: a store
    /// without hashes tells it only of files that were fetched or written.
    public var contentHash: String?

    public init(
        path: RemotePath, revision: Revision, byteCount: Int64, modified: Date,
        contentHash: String? = nil
    ) {
        self.path = path
        self.revision = revision
        self.byteCount = byteCount
        self.modified = modified
        self.contentHash = contentHash
    }
}

extension RemoteFile {
    /// Whether the other is the same file in the same state, with or without the hash of its bytes.
    package func isSameState(as other: RemoteFile) -> Bool {
        var (one, other) = (self, other)
        if one.contentHash == nil || other.contentHash == nil {
            (one.contentHash, other.contentHash) = (nil, nil)
        }
        return one == other
    }
}

/// One line of a listing.
public enum RemoteEntry: Hashable, Sendable {
    /// A file is there. It replaces whatever was known under its path, a folder and its
    /// children too.
    case file(RemoteFile)

    /// A folder is there. What is known of its children stays true.
    case folder(RemotePath)

    /// Nothing is there any more, nor anything below it. Comes from
    /// ``RemoteStore/changes(since:)`` alone.
    case deleted(RemotePath)

    public var path: RemotePath {
        switch self {
        case .file(let file): file.path
        case .folder(let path), .deleted(let path): path
        }
    }

    /// The file, when it is one.
    public var file: RemoteFile? {
        if case .file(let file) = self { file } else { nil }
    }
}

/// A folder's entries, or what has changed in them, with the cursor to go on from.
public struct Listing: Hashable, Sendable {
    /// In the store's order. Changes must be applied in this order.
    public var entries: [RemoteEntry]
    public var cursor: Cursor

    /// What is there, too, but under names that no path can have, such as those that are no UTF-8 or
    /// very long: where it lies, with the name as the server writes it. A whole listing tells of all of
    /// them.
    public var skipped: [String]

    public init(entries: [RemoteEntry], cursor: Cursor, skipped: [String] = []) {
        self.entries = entries
        self.cursor = cursor
        self.skipped = skipped
    }

    /// The files among the entries, in order.
    public var files: [RemoteFile] { entries.compactMap(\.file) }
}

/// Who is signed in, and how much room is left.
public struct Account: Hashable, Sendable {
    public var displayName: String

    /// What the store calls the account, for good; nil where it does not tell.
    public var identifier: String?

    public var usedBytes: Int64

    /// Nil when the store sets no limit or does not tell.
    public var allocatedBytes: Int64?

    public init(
        displayName: String, identifier: String? = nil, usedBytes: Int64, allocatedBytes: Int64?
    ) {
        self.displayName = ServerText.line(displayName)
        self.identifier = identifier
        self.usedBytes = usedBytes
        self.allocatedBytes = allocatedBytes
    }
}

/// What a write may replace.
public enum WriteMode: Hashable, Sendable {
    /// Nothing, not even the same bytes, unless an earlier write of this member's put them there whose
    /// answer was lost.
    case create

    /// Nothing: ``StoreError/Code-swift.enum/conflict(serverRevision:)`` when something
    /// else has the path already.
    case add

    /// Whatever file is there.
    case overwrite

    /// This revision and no other: a conflict when the file has changed since. Writes when
    /// the file is gone.
    ///
    /// `contentHash` names the bytes that the new text is based on (``RemoteFile/contentHash`` of what
    /// was fetched or saved last). Some servers give one revision to two states of the same second and
    /// length; the hash tells them apart. Without it, the revision alone decides.
    case update(Revision, contentHash: String? = nil)
}

extension WriteMode {
    /// The revision that it may replace; nil where any, or none.
    var replacedRevision: Revision? {
        if case .update(let revision, _) = self { revision } else { nil }
    }
}

/// The boxes into which stores scale pictures, in pixels. Shapes are kept and nothing is enlarged.
public enum ThumbnailSize: String, CaseIterable, Hashable, Sendable {
    case w32h32, w64h64, w128h128, w256h256, w480h320, w640h480, w960h640, w1024h768, w2048h1536

    public var width: Int {
        switch self {
        case .w32h32: 32
        case .w64h64: 64
        case .w128h128: 128
        case .w256h256: 256
        case .w480h320: 480
        case .w640h480: 640
        case .w960h640: 960
        case .w1024h768: 1024
        case .w2048h1536: 2048
        }
    }

    public var height: Int {
        switch self {
        case .w32h32: 32
        case .w64h64: 64
        case .w128h128: 128
        case .w256h256: 256
        case .w480h320: 320
        case .w640h480: 480
        case .w960h640: 640
        case .w1024h768: 768
        case .w2048h1536: 1536
        }
    }

    /// The smallest box at least this wide and high, or the largest there is.
    public static func smallest(covering width: Int, by height: Int) -> ThumbnailSize {
        allCases.first { $0.width >= width && $0.height >= height } ?? .w2048h1536
    }
}
