internal import CSecret
internal import Dispatch
internal import FoundationEssentials
internal import Glibc

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

    private let alarmQueue = DispatchQueue(label: "byteclub.keyring.alarm")

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

    private func call<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { @Sendable [alarmQueue] in
                let alarm = DispatchSource.makeTimerSource(queue: alarmQueue)
                alarm.schedule(deadline: .now() + .seconds(Self.patienceSeconds))
                alarm.setEventHandler { @Sendable in byteclub_secret_cancel() }
                alarm.activate()
                let value = body()
                // The next call is begun by this queue: an alarm that has not rung by now rings no more.
                alarm.cancel()
                alarmQueue.sync {}
                continuation.resume(returning: value)
            }
        }
    }
}
