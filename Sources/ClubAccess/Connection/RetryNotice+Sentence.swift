package import ClubStore

extension RetryNotice {
    /// `The server is busy; trying again in 3 s.`
    package var sentence: String {
        let what =
            switch reason {
            case .busy: "The server is busy"
            case .unavailable: "The server is not available"
            case .failed: "The server failed"
            case .disconnected: "The connection broke"
            }
        let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
        return "\(what); trying again in \(seconds) s."
    }
}
