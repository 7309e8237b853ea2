public import ClubStore
public import FoundationEssentials

/// The files of a club in the local copy, including the outbox: for reading when the club is unreachable.
///
/// A text that is not stored here fails with `.offline`, as in the club.
public struct KeptFiles: RemoteReading {
    private let copy: LocalCopy
    private let entries: [RemotePath: RemoteEntry]
    private let cursor: Cursor
    private let skipped: [String]
    /// Whether the club was ever listed here; if not, only files in the outbox are known.
    public let isListed: Bool

    /// Reads the listing; blocks on the disk.
    ///
    /// Nil if the club was never listed here and nothing waits for it.
    ///
    /// - Throws: `LibraryError`.
    public init?(of copy: LocalCopy) throws {
        let (listing, waiting) = (try copy.listing(), try copy.waitingChanges())
        guard listing != nil || !waiting.isEmpty else { return nil }
        var entries: [RemotePath: RemoteEntry] = [:]
        for entry in (listing?.entries ?? []) + waiting.flatMap(\.entries) {
            if case .deleted = entry {
                entries[entry.path] = nil
            } else {
                entries[entry.path] = entry
            }
        }
        self.copy = copy
        isListed = listing != nil
        self.entries = entries
        cursor = listing?.cursor ?? Cursor(rawValue: "")
        skipped = listing?.skipped ?? []
    }

    /// All entries, in no order.
    public var all: [RemoteEntry] { Array(entries.values) }

    @concurrent public func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing {
        let below = entries.values.filter { $0.path != folder && $0.path.isInside(folder) }
        if below.isEmpty, !folder.isRoot {
            switch entries[folder] {
            case .folder: break
            case .file: throw StoreError(.wrongKind, during: .list, at: folder)
            default: throw StoreError(.notFound, during: .list, at: folder)
            }
        }
        let depth = folder.components.count + 1
        return Listing(
            entries: recursive ? below : below.filter { $0.path.components.count == depth },
            cursor: cursor, skipped: skipped)
    }

    @concurrent public func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile {
        try file(at: path, during: .metadata)
    }

    @concurrent public func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        let file = try file(at: path, during: .fetch)
        guard let text = try? copy.text(of: file) else {
            throw StoreError(.offline, during: .fetch, at: path)
        }
        return text
    }

    private func file(
        at path: RemotePath, during operation: StoreError.Operation
    ) throws(StoreError) -> RemoteFile {
        switch entries[path] {
        case .file(let file): return file
        case .folder: throw StoreError(.wrongKind, during: operation, at: path)
        default:
            let isFolder = path.isRoot || entries.keys.contains { $0.isInside(path) }
            throw StoreError(isFolder ? .wrongKind : .notFound, during: operation, at: path)
        }
    }
}
