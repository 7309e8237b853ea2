internal import ClubStore

extension StoreError {
    /// The pause before a transfer is tried again; nil if that is useless.
    ///
    /// - Parameter count: How often it has failed in a row, without a step forward between.
    func waitBeforeRetry(afterFailures count: Int) -> Duration? {
        let pause = Duration.seconds(min(60, 1 << min(count, 6)))
        switch code {
        case .rateLimited(let wait), .serverUnavailable(let wait):
            // A server that asks for no pause, again and again, would be asked all the time.
            return max(wait ?? .zero, pause)
        case .offline, .timedOut, .locked: return pause
        // Its folder may be on a disk that is not there yet.
        case .untrusted where underlying is EmbeddedClubError: return pause
        // A server that fails repeatedly needs the user's attention.
        case .serverError, .badAnswer: return count < 2 ? pause : nil
        default: return nil
        }
    }
}
