import ClubAccess
import ClubStore
import Synchronization

/// Lines on standard error while a command waits: that a request is sent again, and that the club is silent.
enum WaitingNotices {
    /// Reports them while the body runs.
    static func reporting(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let hasSaidSilent = Atomic(false)
        let result = await RetryNotice.reporting(to: { notice in
            guard !AppScreen.isShown.load(ordering: .relaxed) else { return }
            // One line for a silent server; each attempt has its own.
            if case .silent = notice.reason, hasSaidSilent.exchange(true, ordering: .relaxed) {
                return
            }
            Output.clearStatus()
            Output.complain(notice.sentence)
        }) { () async -> Result<Void, any Error> in
            do {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
