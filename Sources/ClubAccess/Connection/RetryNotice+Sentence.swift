package import ClubStore
internal import ByteClubMessages

extension RetryNotice {
    /// `The server is busy; trying again in 3 s.`, `…; trying again in 62 minutes.`
    package var sentence: String {
        let what: String
        switch reason {
        case .busy: what = localized("The server is busy")
        case .unavailable: what = localized("The server is not available")
        case .locked: what = localized("Another program has the file locked")
        case .failed: what = localized("The server failed")
        case .unreachable: what = localized("The club cannot be reached")
        case .disconnected: what = localized("The connection broke")
        case .silent(let duration):
            let seconds = Int((duration / .seconds(1)).rounded())
            return localized("The club has not answered for \(seconds) s.")
        }
        let seconds = Self.seconds(of: wait)
        return Self.later(seconds).map { localized("\(what); trying again \($0).") }
            ?? localized("\(what); trying again in \(seconds) s.")
    }

    /// When a transfer is tried again that waits for another reason: `Tries again in 3 s. The network is metered.`
    static func sentence(after wait: Duration, because reason: String) -> String {
        let seconds = Self.seconds(of: wait)
        return later(seconds).map { localized("Tries again \($0). \(reason)") }
            ?? localized("Tries again in \(seconds) s. \(reason)")
    }

    private static func seconds(of wait: Duration) -> Int {
        max(1, Int(min(wait / .seconds(1), 1e9).rounded(.up)))
    }

    /// `in 62 minutes`, `in 3 hours`; nil for a time that is counted in seconds.
    static func later(_ seconds: Int) -> String? {
        switch seconds {
        case ..<90: nil
        case ..<5400: localized("in \((seconds + 30) / 60) minutes")
        default: localized("in \((seconds + 1800) / 3600) hours")
        }
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
