package import ClubStore
internal import Messages

extension RetryNotice {
    /// `The server is busy; trying again in 3 s.`
    package var sentence: String {
        let what =
            switch reason {
            case .busy: localized("The server is busy")
            case .unavailable: localized("The server is not available")
            case .failed: localized("The server failed")
            case .disconnected: localized("The connection broke")
            }
        let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
        return localized("\(what); trying again in \(seconds) s.")
    }
}
