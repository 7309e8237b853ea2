import Dispatch
import Glibc

/// Turns ^C and similar signals into cancellation, so that the work can clean up.
@MainActor enum Interruption {
    /// The received signal.
    private(set) static var signal: CInt?

    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Whether the program was started with a signal ignored, as by `nohup`: it stays ignored.
    private static func isIgnored(_ signal: CInt) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Runs work that a signal cancels. A second signal ends the program at once.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
        var task: Task<Value, any Error>?
        let signals = signals.filter { !isIgnored($0) }
        let sources = signals.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { @Sendable in
                MainActor.assumeIsolated {
                    if signal != nil { die(of: number) }
                    signal = number
                    task?.cancel()
                }
            }
            return source
        }
        // Until a source listens, its signal has its default effect; then Dispatch catches it. Ignoring it
        // first would lose one that arrives in between.
        for source in sources {
            await withCheckedContinuation { continuation in
                source.setRegistrationHandler { @Sendable in continuation.resume() }
                source.activate()
            }
        }
        defer {
            for source in sources { source.cancel() }
            for number in signals { Glibc.signal(number, SIG_DFL) }
        }
        let running = Task { try await work() }
        task = running
        return try await running.value
    }

    /// Ends the program as the signal would have, so that a shell's loop ends, too.
    static func die(of signal: CInt) -> Never {
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
        exit(128 + signal)
    }
}
