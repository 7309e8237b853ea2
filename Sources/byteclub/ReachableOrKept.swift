import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Messages
import Synchronization

/// Reads a club; what is kept of it on this computer while it cannot be reached.
///
/// Then one line on standard error says so. Only reading: what a command changes is in the club when it
/// succeeds.
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
    /// - Throws: `StoreError` when it cannot be opened and nothing is kept of it.
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

    @concurrent func list(
        _ folder: RemotePath, recursive: Bool
    ) async throws(StoreError) -> Listing {
        try await read { reading throws(StoreError) in
            try await reading.list(folder, recursive: recursive)
        }
    }

    @concurrent func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile {
        try await read { reading throws(StoreError) in try await reading.metadata(of: path) }
    }

    @concurrent func fetch(
        _ path: RemotePath
    ) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        try await read { reading throws(StoreError) in try await reading.fetch(path) }
    }

    /// Once the club cannot be reached it is not asked again: one answer is of one state.
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
            // Never seen here: why the club could not be asked says more.
            throw error.code == .offline ? reason : error
        }
        let isFirst = hasSaidSo.withLock { said in
            defer { said = true }
            return !said
        }
        if isFirst {
            let words = CommandFailure.words(for: reason)
            // Why the club on this computer cannot be opened is for its owner to correct.
            let advice = reason.underlying is EmbeddedClubError ? " " + words.text : ""
            Output.complain(
                localized("\(words.title): this is what is kept of the club on this computer.")
                    + advice)
        }
        return value
    }

    /// Whether the club could not be reached.
    var isKept: Bool {
        if case .unreachable = state.withLock({ $0 }) { true } else { false }
    }

    /// What is kept of a club, if that helps against an error.
    private static func kept(
        _ club: ClubSettings, _ registry: ClubRegistry, instead error: StoreError
    ) -> KeptFiles? {
        guard error.saysNothingOfTheClub else { return nil }
        let folder = registry.libraryFolder(of: club)
        // Opening one makes it.
        guard FileManager.default.fileExists(atPath: folder.path),
            let kept = try? KeptFiles(of: LocalCopy(folder: folder))
        else { return nil }
        return kept
    }
}

extension StoreError {
    /// Whether only the way to the club has failed, or its server; not the sign-in.
    fileprivate var saysNothingOfTheClub: Bool {
        switch code {
        case .offline, .timedOut, .rateLimited, .serverUnavailable, .serverError, .badAnswer: true
        default: false
        }
    }
}
