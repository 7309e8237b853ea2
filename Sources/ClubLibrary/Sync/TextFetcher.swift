public import ClubStore
internal import FoundationEssentials

/// Fetches texts that are not stored here, for when the club is unreachable.
public struct TextFetcher: Sendable {
    private let copy: LocalCopy
    private let store: any RemoteStore

    public init(_ copy: LocalCopy, from store: any RemoteStore) {
        self.copy = copy
        self.store = store
    }

    /// Larger notes are fetched when they are opened.
    public static let byteLimit: Int64 = 1 << 20
    /// The number of texts fetched at once and stored in one transaction.
    private static let width = 4
    private static let batch = 32

    /// Fetches missing texts; stops early if its task is cancelled.
    ///
    /// - Throws: `StoreError` if the club becomes unreachable; `LibraryError`.
    @concurrent public func run(_ files: [RemoteFile]) async throws {
        let small = files.filter {
            $0.byteCount <= Self.byteLimit && $0.revision.waitingChange == nil
        }
        var missing = try copy.missingTexts(among: small)[...]
        while !missing.isEmpty, !Task.isCancelled {
            let texts = try await fetch(missing.prefix(Self.batch))
            missing = missing.dropFirst(Self.batch)
            try copy.keep(texts)
        }
    }

    private func fetch(
        _ files: ArraySlice<RemoteFile>
    ) async throws -> [(file: RemoteFile, data: Data)] {
        try await withThrowingTaskGroup(of: (file: RemoteFile, data: Data)?.self) { group in
            var rest = files
            var texts: [(file: RemoteFile, data: Data)] = []
            func addNext() {
                guard let file = rest.popFirst() else { return }
                group.addTask { try await fetch(file) }
            }
            for _ in 0..<Self.width { addNext() }
            while let text = try await group.next() {
                if let text { texts.append(text) }
                addNext()
            }
            return texts
        }
    }

    /// Nil if this text cannot be fetched; others can.
    private func fetch(_ file: RemoteFile) async throws -> (file: RemoteFile, data: Data)? {
        do throws(StoreError) {
            return try await store.fetch(file.path)
        } catch {
            guard error.isConnectionFailure else { return nil }
            throw error
        }
    }
}
