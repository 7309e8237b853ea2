import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages
import Synchronization

/// Reads a club, or its local copy while it is unreachable.
///
/// A line on standard error then says so. Only for reading: a command that changes something succeeds only if
/// the club has the change.
final class ReachableOrKept: RemoteReading {
    private let club: ClubSettings
    private let registry: ClubRegistry
    private let state: Mutex<State>
    private let hasSaidSo = Mutex(false)

    private enum State {
        case reachable(any RemoteStore)
        case unreachable(KeptFiles, StoreError)
    }

    /// Opens a club.
    ///
    /// - Throws: `StoreError` if it cannot be opened and has no local copy.
    init(_ club: ClubSettings, _ registry: ClubRegistry) async throws(StoreError) {
        self.club = club
        self.registry = registry
        do throws(StoreError) {
            state = Mutex(.reachable(try await ClubOptions.open(club, registry)))
        } catch {
            guard let kept = Self.kept(club, registry, instead: error) else { throw error }
            state = Mutex(.unreachable(kept, error))
        }
    }

    /// Nil if no window has shown the club.
    var existingCopy: LocalCopy? { LocalCopy(existingIn: registry.libraryFolder(of: club)) }

    @concurrent func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing {
        var listing = try await read { reading throws(StoreError) in
            // Only what waits for the club is known.
            if let kept = reading as? KeptFiles, !kept.isListed {
                throw StoreError(.offline, during: .list, at: folder)
            }
            return try await reading.list(folder, recursive: recursive)
        }
        if club.place == .embedded {
            let place = registry.paths.clubFolder.appending(
                path: folder.components.joined(separator: "/"))
            listing.skipped += UndecodableNames.find(
                in: folder.isRoot ? registry.paths.clubFolder : place, isRecursive: recursive
            ).map { (folder.isRoot ? "" : folder.string) + $0 }
        }
        return listing
    }

    @concurrent func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile {
        try await read { reading throws(StoreError) in try await reading.metadata(of: path) }
    }

    @concurrent func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        try await read { reading throws(StoreError) in try await reading.fetch(path) }
    }

    /// The versions of a note; while the club is unreachable, those that this computer has seen.
    @concurrent func revisions(
        of path: RemotePath, limit: Int
    ) async throws(StoreError) -> RevisionHistory {
        try await read { reading throws(StoreError) in
            if let store = reading as? any RemoteStore {
                return try await ClubOptions.revisions(of: store, club, registry)
                    .revisions(of: path, limit: limit)
            }
            return try SeenRevisions.history(
                of: path, current: try await current(path, in: reading), seenIn: copy, limit: limit)
        }
    }

    /// A version of a note; while the club is unreachable, one that this computer has seen.
    @concurrent func fetch(
        _ path: RemotePath, revision: Revision
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        try await read { reading throws(StoreError) in
            if let store = reading as? any RemoteStore {
                return try await ClubOptions.revisions(of: store, club, registry)
                    .fetch(path, revision: revision)
            }
            guard let data = try? copy.baseText(at: path, revision: revision, hash: nil) else {
                throw StoreError(.notFound, during: .fetch, at: path)
            }
            let file = RemoteFile(
                path: path, revision: revision, byteCount: Int64(data.count), modified: Date())
            return (file, data)
        }
    }

    private func current(
        _ path: RemotePath, in reading: any RemoteReading
    ) async throws(StoreError) -> RemoteFile? {
        do throws(StoreError) {
            return try await reading.metadata(of: path)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private var copy: LocalCopy { LocalCopy(folder: registry.libraryFolder(of: club)) }

    /// Once the club is unreachable, it is not asked again: a result is from one source.
    private func read<Value>(
        _ call: (any RemoteReading) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        switch state.withLock({ $0 }) {
        case .unreachable(let kept, let reason):
            return try await read(kept, reason, call)
        case .reachable(let store):
            do throws(StoreError) {
                return try await call(store)
            } catch {
                guard let kept = Self.kept(club, registry, instead: error) else { throw error }
                state.withLock { $0 = .unreachable(kept, error) }
                return try await read(kept, error, call)
            }
        }
    }

    private func read<Value>(
        _ kept: KeptFiles, _ reason: StoreError,
        _ call: (any RemoteReading) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let value: Value
        do throws(StoreError) {
            value = try await call(kept)
        } catch {
            // Not stored here: the original error says more.
            throw error.code == .offline ? reason : error
        }
        let isFirst = hasSaidSo.withLock { said in
            defer { said = true }
            return !said
        }
        if isFirst {
            let words = CommandFailure.words(for: reason)
            Output.complain(
                localized("\(words.title). Showing the copy on this computer.")
                    + CommandFailure.adviceInPassing(on: reason))
        }
        return value
    }

    /// Whether the club was unreachable.
    var isKept: Bool {
        if case .unreachable = state.withLock({ $0 }) { true } else { false }
    }

    /// Reports changes in the outbox: a reachable club does not list them.
    func remindOfOutbox() {
        if !isKept { OutboxReminder(club, registry).show() }
    }

    /// The local copy of a club, if it helps against an error.
    private static func kept(
        _ club: ClubSettings, _ registry: ClubRegistry, instead error: StoreError
    ) -> KeptFiles? {
        guard error.saysNothingOfTheClub else { return nil }
        guard let copy = LocalCopy(existingIn: registry.libraryFolder(of: club)) else { return nil }
        // Why what is kept here cannot be shown either: another program may hold it.
        if !copy.isDurable, let notice = copy.takeNotice() { Output.complain(notice) }
        return try? KeptFiles(of: copy)
    }
}

extension StoreError {
    /// Whether the error only concerns the connection or the server, not the sign-in.
    fileprivate var saysNothingOfTheClub: Bool {
        switch code {
        case .offline, .timedOut, .rateLimited, .serverUnavailable, .serverError, .badAnswer: true
        default: false
        }
    }
}
