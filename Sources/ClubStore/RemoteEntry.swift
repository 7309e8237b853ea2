public import FoundationEssentials

/// Identifies one state of one file: it changes with every write, and with nothing else.
///
/// Opaque; compare for equality only. Dropbox's `rev`, a WebDAV server's strong ETag.
public struct Revision: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A revision that no file has: deleting it removes nothing, and tells whether an earlier attempt did.
    public static let ofNothing = Revision(rawValue: "000000000")
}

/// Marks a point in the history of a listed folder; later changes are requested from
/// there.
public struct Cursor: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// A file's metadata in a store.
public struct RemoteFile: Hashable, Sendable {
    public var path: RemotePath

    /// The display name. Its case may differ from the requested one: stores keep the case
    /// of the first write.
    public var name: String { path.name }

    public var revision: Revision
    public var byteCount: Int64

    /// When the content last changed, in whole seconds, by the clock of the machine that
    /// wrote it.
    public var modified: Date

    /// The content hash in Dropbox's form (64 hexadecimal digits); nil when unknown: a store
    /// without hashes has it only for files that were fetched or written.
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
    /// Whether two files have the same bytes, as far as the club reports.
    package func hasSameBytes(as other: RemoteFile) -> Bool {
        guard let contentHash, let hash = other.contentHash else {
            return byteCount == other.byteCount
        }
        return contentHash == hash
    }
}

extension RemoteFile {
    /// Whether both describe the same file in the same state, with or without a known hash.
    package func isSameState(as other: RemoteFile) -> Bool {
        var (one, other) = (self, other)
        if one.contentHash == nil || other.contentHash == nil {
            (one.contentHash, other.contentHash) = (nil, nil)
        }
        return one == other
    }
}

/// One entry of a listing.
public enum RemoteEntry: Hashable, Sendable {
    /// A file is at this path. It replaces everything known at the path, including a
    /// folder and its children.
    case file(RemoteFile)

    /// A folder is at this path. What is known of its children stays valid.
    case folder(RemotePath)

    /// Nothing is at this path or below it any longer. Only from
    /// ``RemoteStore/changes(since:)``.
    case deleted(RemotePath)

    public var path: RemotePath {
        switch self {
        case .file(let file): file.path
        case .folder(let path), .deleted(let path): path
        }
    }

    /// The file, if this is one.
    public var file: RemoteFile? {
        if case .file(let file) = self { file } else { nil }
    }

    /// The file.
    ///
    /// - Throws: `.wrongKind` if it is something else.
    public func requireFile(during operation: StoreError.Operation) throws(StoreError) -> RemoteFile
    {
        guard let file else { throw StoreError(.wrongKind, during: operation, at: path) }
        return file
    }
}

/// A folder's entries, or the changes to them, with the cursor for the next request.
public struct Listing: Hashable, Sendable {
    /// In the store's order. Changes must be applied in this order.
    public var entries: [RemoteEntry]
    public var cursor: Cursor

    /// Entries whose names no path can have (not UTF-8, or too long), as their location with the
    /// name as the server writes it. A full listing reports all of them.
    public var skipped: [String]

    public init(entries: [RemoteEntry], cursor: Cursor, skipped: [String] = []) {
        self.entries = entries
        self.cursor = cursor
        self.skipped = skipped
    }

    /// The files among the entries, in order.
    public var files: [RemoteFile] { entries.compactMap(\.file) }
}

/// The signed-in account and its quota.
public struct Account: Hashable, Sendable {
    public var displayName: String

    /// The store's permanent identifier for the account; nil if the store has none.
    public var identifier: String?

    public var usedBytes: Int64

    /// Nil when the store sets or reports no limit.
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
public enum RemoteWriteMode: Hashable, Sendable {
    /// Nothing, not even the same bytes, except what an earlier write by this member stored without
    /// receiving a response.
    case create

    /// Nothing: ``StoreError/Code-swift.enum/conflict(serverRevision:)`` when the path is
    /// taken.
    case add

    /// Any file at the path.
    case overwrite

    /// Only this revision: a conflict when the file has changed since. Writes when the file no
    /// longer exists.
    ///
    /// `contentHash` is the hash of the bytes that the new text is based on
    /// (``RemoteFile/contentHash`` of the last fetch or save). Some servers give the same revision
    /// to two states with the same second and length; the hash distinguishes them. Without it, the
    /// revision alone decides.
    case update(Revision, contentHash: String? = nil)
}

extension RemoteWriteMode {
    /// The revision that may be replaced; nil for any, or none.
    var replacedRevision: Revision? {
        if case .update(let revision, _) = self { revision } else { nil }
    }
}

/// The bounding boxes, in pixels, that stores scale thumbnails into. Aspect ratios are kept and
/// nothing is enlarged.
public enum RemoteThumbnailSize: String, CaseIterable, Hashable, Sendable {
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
    public static func smallest(covering width: Int, by height: Int) -> RemoteThumbnailSize {
        allCases.first { $0.width >= width && $0.height >= height } ?? .w2048h1536
    }
}
