/// A time limit for polling.
enum PollTimeout {
    /// Polls until there is a result or the time is up.
    ///
    /// - Parameter poll: One poll, as long as the server likes; cancelled when the time is up.
    /// - Returns: The result of `poll`; false on timeout, and when a middlebox drops the connection
    ///   silently: nothing is known then, and nothing is wrong.
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
