import Glibc

/// Restores the terminal if the program crashes.
///
/// The handlers only `write` the prepared bytes and call `tcsetattr`; then the signal does what it does by
/// default.
@MainActor
enum CrashGuard {
    private static let numbers = [
        SIGSEGV, SIGABRT, SIGILL, SIGBUS, SIGFPE, SIGTRAP, SIGQUIT,
    ]
    private static var previousActions: [Int32: sigaction] = [:]

    /// From now on a crash restores this terminal.
    static func arm(descriptor: Int32, modes: termios, sequence: RestoreSequence) {
        let record = UnsafeMutablePointer<CrashRecord>.allocate(capacity: 1)
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: sequence.bytes.count)
        bytes.initialize(from: sequence.bytes, count: sequence.bytes.count)
        record.initialize(
            to: CrashRecord(
                descriptor: descriptor, modes: modes, bytes: bytes,
                byteCount: sequence.bytes.count))
        replaceRecord(by: record)
        guard previousActions.isEmpty else { return }
        for number in numbers {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = restoreAndDie
            // SA_RESETHAND: a crash in the handler, and the signal raised again, end the program.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_NODEFER
            var previous = sigaction()
            sigaction(number, &action, &previous)
            previousActions[number] = previous
        }
    }

    /// Disarms the handlers: the terminal was restored.
    static func disarm() {
        for (number, action) in previousActions {
            var action = action
            sigaction(number, &action, nil)
        }
        previousActions = [:]
        replaceRecord(by: nil)
    }

    private static func replaceRecord(by new: UnsafeMutablePointer<CrashRecord>?) {
        let old = crashRecord
        crashRecord = new
        if let old {
            old.pointee.bytes.deallocate()
            old.deallocate()
        }
    }
}

private struct CrashRecord {
    var descriptor: Int32
    var modes: termios
    var bytes: UnsafeMutablePointer<UInt8>
    var byteCount: Int
}

/// The handlers' data. Written on the main actor, one word at a time; a handler reads it once.
private nonisolated(unsafe) var crashRecord: UnsafeMutablePointer<CrashRecord>?

private func restoreAndDie(_ number: Int32) {
    if let record = crashRecord {
        write(record.pointee.descriptor, record.pointee.bytes, record.pointee.byteCount)
        tcsetattr(record.pointee.descriptor, TCSANOW, &record.pointee.modes)
    }
    raise(number)
}
