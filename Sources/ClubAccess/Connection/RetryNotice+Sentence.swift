package import ClubStore
internal import ByteClubMessages

extension RetryNotice {
    /// `The server is busy; trying again in 3 s.`
    package var sentence: String {
        let seconds = max(1, Int((wait / .seconds(1)).rounded(.up)))
        let what: String
        switch reason {
        case .busy: what = localized("The server is busy")
        case .unavailable: what = localized("The server is not available")
        case .locked: what = localized("Another program has the file locked")
        case .failed: what = localized("The server failed")
        case .disconnected: what = localized("The connection broke")
        case .silent(let duration):
            let seconds = Int((duration / .seconds(1)).rounded())
            return localized("The club has not answered for \(seconds) s.")
        }
        return localized("\(what); trying again in \(seconds) s.")
    }

    /// Reports retries while the body runs. Never inlined: the optimizer of Swift 6.3 would set the
    /// task-local value outside of a task, and the program would crash.
    @inline(never) @_optimize(none)
    package static func reporting<Value: Sendable>(
        to observer: @escaping @Sendable (RetryNotice) -> Void, _ body: () async -> Value
    ) async -> Value {
        await $observer.withValue(observer) { await body() }
    }
}
