/// What a poll found.
enum PollResult {
    case changes
    /// None until now, or nothing is known.
    case nothing
}

/// A time limit for polling.
enum PollTimeout {
    /// Polls until there is a result or the time is up.
    ///
    /// - Parameter poll: One poll, as long as the server likes; cancelled when the time is up.
    /// - Returns: The result of `poll`; `.nothing` on timeout, and when a middlebox drops the
    ///   connection silently: nothing is known then, and nothing is wrong.
    static func wait(
        atMost longest: Duration,
        for poll: @escaping @Sendable () async throws(StoreError) -> PollResult
    ) async throws(StoreError) -> PollResult {
        let polling = Task { () -> Result<PollResult, StoreError> in
            do throws(StoreError) {
                return .success(try await poll())
            } catch {
                return .failure(error)
            }
        }
        let alarm = Task {
            try? await Pause.sleep(for: longest)
            polling.cancel()
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            await polling.value
        } onCancel: {
            polling.cancel()
        }
        guard case .failure(let error) = result, !Task.isCancelled,
            error.code == .cancelled || error.code == .timedOut
        else { return try result.get() }
        return .nothing
    }
}
