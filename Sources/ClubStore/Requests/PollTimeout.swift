/// Waiting for changes, not longer than somebody has time for.
enum PollTimeout {
    /// Asks until it is told or the time is up.
    ///
    /// - Parameter poll: Asks, and takes as long as the server likes; cancelled when the time is up.
    /// - Returns: What `poll` has found out; false when the time is up, and when a middle-box let the
    ///   connection die without a word: nothing is known then, and nothing is wrong.
    static func wait(
        atMost longest: Duration, for poll: @escaping @Sendable () async throws(StoreError) -> Bool
    ) async throws(StoreError) -> Bool {
        let polling = Task { () -> Result<Bool, StoreError> in
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
        return false
    }
}
