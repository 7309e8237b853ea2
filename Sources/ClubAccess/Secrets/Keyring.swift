internal import CByteClubSecret
internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Stores secrets by account name, outside of this program.
protocol SecretKeeper: Sendable {
    /// - Returns: Nil when there is none.
    func read(_ account: String) async throws(SecretError) -> Data?
    /// Replaces a secret.
    ///
    /// - Parameter label: How the keyring's own program lists it.
    func write(_ secret: Data, account: String, label: String) async throws(SecretError)
    /// Does nothing if no secret is stored.
    func remove(_ account: String) async throws(SecretError)
}

/// The desktop's keyring, through libsecret. Its calls block until the user has unlocked it, so they run on a
/// separate queue and time out.
final class Keyring: SecretKeeper {
    static let shared = Keyring()

    private let queue = DispatchQueue(label: "byteclub.keyring")

    /// Long enough to type a password.
    private static let timeoutSeconds = 60

    /// Whether there is a session bus to find a keyring on. Without one, GLib would try to start one.
    static func isReachable(_ environment: [String: String]) -> Bool {
        if let address = environment["DBUS_SESSION_BUS_ADDRESS"] { return !address.isEmpty }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else {
            return false
        }
        return access(runtime + "/bus", F_OK) == 0
    }

    func read(_ account: String) async throws(SecretError) -> Data? {
        let answer = await call(isCancelled: { $0.0 == BYTECLUB_SECRET_CANCELLED }) {
            () -> (byteclub_secret_result, Data?) in
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
        let result = await call(isCancelled: { $0 == BYTECLUB_SECRET_CANCELLED }) {
            byteclub_secret_store(account, label, String(decoding: secret, as: UTF8.self))
        }
        try check(result)
    }

    func remove(_ account: String) async throws(SecretError) {
        let result = await call(isCancelled: { $0 == BYTECLUB_SECRET_CANCELLED }) {
            byteclub_secret_remove(account)
        }
        if result != BYTECLUB_SECRET_ABSENT { try check(result) }
    }

    private func check(_ result: byteclub_secret_result) throws(SecretError) {
        switch result {
        case BYTECLUB_SECRET_DONE: return
        case BYTECLUB_SECRET_UNAVAILABLE: throw .noKeyring
        default: throw .keyringLocked
        }
    }

    /// Cancelling the task cancels the call, which then fails as if the keyring had refused.
    private func call<Value: Sendable>(
        isCancelled: @escaping @Sendable (Value) -> Bool, _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        let alarm = Alarm()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.async { @Sendable in
                    alarm.begin(afterSeconds: Self.timeoutSeconds)
                    var value = body()
                    // GIO returns a pending connection to the next call, too, including its cancellation by
                    // the previous call.
                    while isCancelled(value), !alarm.hasRung { value = body() }
                    alarm.end()
                    continuation.resume(returning: value)
                }
            }
        } onCancel: {
            alarm.ring()
        }
    }
}

/// Cancels the keyring call in progress when it times out or when its task is cancelled.
private final class Alarm: Sendable {
    private struct State {
        var isRinging = false
        var hasRung = false
        /// Dispatch sources are thread-safe; they are just not declared `Sendable`.
        nonisolated(unsafe) var source: (any DispatchSourceTimer)?
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "byteclub.keyring.alarm")

    func begin(afterSeconds seconds: Int) {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { @Sendable [self] in
            state.withLock { $0.hasRung = true }
            byteclub_secret_cancel()
        }
        state.withLock { state in
            state.source = source
            Self.schedule(source, afterSeconds: state.isRinging ? 0 : seconds)
        }
        source.activate()
    }

    /// Whether this alarm has cancelled the call.
    var hasRung: Bool { state.withLock(\.hasRung) }

    /// Immediately, or as soon as the call has begun.
    func ring() {
        state.withLock { state in
            state.isRinging = true
            if let source = state.source { Self.schedule(source, afterSeconds: 0) }
        }
    }

    /// The queue that ends this call starts the next one, so an alarm that has not fired by then never
    /// does.
    func end() {
        state.withLock { state in
            state.source?.cancel()
            state.source = nil
        }
        queue.sync {}
    }

    /// Repeatedly: the call may be just about to begin.
    private static func schedule(_ source: any DispatchSourceTimer, afterSeconds seconds: Int) {
        source.schedule(deadline: .now() + .seconds(seconds), repeating: .milliseconds(50))
    }
}
