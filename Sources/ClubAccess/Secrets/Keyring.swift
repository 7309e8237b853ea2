internal import CSecret
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Keeps secrets under the names of accounts, outside of this program.
protocol SecretKeeper: Sendable {
    /// - Returns: Nil when there is none.
    func read(_ account: String) async throws(SecretError) -> Data?
    /// Keeps a secret in place of an older one.
    ///
    /// - Parameter label: What the keeper's own program calls it.
    func write(_ secret: Data, account: String, label: String) async throws(SecretError)
    /// Does nothing where there is none.
    func remove(_ account: String) async throws(SecretError)
}

/// The desktop's keyring, by libsecret. Its calls block until a person has unlocked it, so they have a
/// queue to themselves and a time after which they are given up.
final class Keyring: SecretKeeper {
    static let shared = Keyring()

    private let queue = DispatchQueue(label: "byteclub.keyring")

    /// Long enough to type a password.
    private static let patienceSeconds = 60

    /// Whether there is a session bus to look for a keyring on. Without one, GLib would try to start one.
    static func isReachable(_ environment: [String: String]) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"] { return !address.isEmpty }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            return false
        }
        return access(runtime + "/bus", F_OK) == 0
    }

    func read(_ account: String) async throws(SecretError) -> Data? {
        let answer = await call { () -> (byteclub_secret_result, Data?) in
            var secret: UnsafeMutablePointer<CChar>?
            let result = byteclub_secret_lookup(account, &secret)
            defer { byteclub_secret_free(secret) }
            return (result, secret.map { Data(bytes: $0, count: strlen($0)) })
        }
        if answer.0 == BYTECLUB_SECRET_ABSENT { return nil }
        try check(answer.0)
        return answer.1
    }

    func write(_ secret: Data, account: String, label: String) async throws(SecretError) {
        let result = await call {
            byteclub_secret_store(account, label, String(decoding: secret, as: UTF8.self))
        }
        try check(result)
    }

    func remove(_ account: String) async throws(SecretError) {
        let result = await call { byteclub_secret_remove(account) }
        if result != BYTECLUB_SECRET_ABSENT { try check(result) }
    }

    private func check(_ result: byteclub_secret_result) throws(SecretError) {
        switch result {
        case BYTECLUB_SECRET_DONE: return
        case BYTECLUB_SECRET_UNAVAILABLE: throw .noKeyring
        default: throw .keyringLocked
        }
    }

    /// Cancelled, the call is ended, and its result is that of a keyring that would not.
    private func call<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        let alarm = Alarm()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { @Sendable in
                    alarm.begin(afterSeconds: Self.patienceSeconds)
                    let value = body()
                    alarm.end()
                    continuation.resume(returning: value)
                }
            }
        } onCancel: {
            alarm.ring()
        }
    }
}

/// Ends the keyring's call under way when it has taken too long, or when nobody waits for it any more.
private final class Alarm: Sendable {
    private struct State {
        var isRinging = false
        /// Dispatch sources may be used from any thread; the library only does not say so.
        nonisolated(unsafe) var source: (any DispatchSourceTimer)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "byteclub.keyring.alarm")

    func begin(afterSeconds seconds: Int) {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { @Sendable in byteclub_secret_cancel() }
        state.withLock { state in
            state.source = source
            Self.schedule(source, afterSeconds: state.isRinging ? 0 : seconds)
        }
        source.activate()
    }

    /// At once, or as soon as it has begun.
    func ring() {
        state.withLock { state in
            state.isRinging = true
            if let source = state.source { Self.schedule(source, afterSeconds: 0) }
        }
    }

    /// The next call is begun by the queue that ends this one: an alarm that has not rung by then rings no
    /// more.
    func end() {
        state.withLock { state in
            state.source?.cancel()
            state.source = nil
        }
        queue.sync {}
    }

    /// Again and again: the call may be just about to begin.
    private static func schedule(_ source: any DispatchSourceTimer, afterSeconds seconds: Int) {
        source.schedule(deadline: .now() + .seconds(seconds), repeating: .milliseconds(50))
    }
}
