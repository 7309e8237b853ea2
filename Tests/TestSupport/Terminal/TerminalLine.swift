import CVTerm
import Foundation
import Synchronization

/// The connection between a driver and its pseudo-terminal: two threads, one lock.
///
/// One thread moves bytes and resumes waits; the other waits for the program to exit or stop.
final class TerminalLine: Sendable {
    let pty: PseudoTerminal
    private let state: Mutex<TerminalLineState>
    /// An event descriptor that wakes the reader's `poll`.
    private let wakeup: Int32
    /// An unknown operating system command; never passed to the emulator.
    private static let mark = Array("\u{1B}]7770;byteclub mark\u{07}".utf8)

    /// A pending wait and its condition.
    struct Wait {
        let goal: String
        let deadline: ContinuousClock.Instant
        let timeout: Duration
        let needsProgram: Bool
        let isReached: @Sendable (inout TerminalLineState) -> Bool
        let continuation: CheckedContinuation<Void, any Error>
    }

    init(_ pty: PseudoTerminal, size: TerminalSize) {
        self.pty = pty
        state = Mutex(TerminalLineState(emulator: EmulatedTerminal(size: size)))
        wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit { Glibc.close(wakeup) }

    /// The threads retain this object until the program has exited and the line is closed.
    func start() {
        Thread.detachNewThread { self.watchProgram() }
        Thread.detachNewThread { self.moveBytes() }
    }

    // MARK: - Doing

    func send(_ bytes: [UInt8]) {
        state.withLock { $0.send(bytes) }
        ring()
    }

    func send(_ key: TerminalKey) {
        state.withLock { $0.send(key.bytes(in: $0.emulator.modes)) }
        ring()
    }

    func sendPaste(_ bytes: [UInt8]) {
        state.withLock { state in
            guard state.emulator.modes.bracketsPastes else { return state.send(bytes) }
            state.send(Array("\u{1B}[200~".utf8) + bytes + Array("\u{1B}[201~".utf8))
        }
        ring()
    }

    func resize(to size: TerminalSize) {
        state.withLock { state in
            guard state.descriptorsAreOpen else { return }
            state.resize(to: size)
            pty.resize(to: size)
        }
    }

    func hangUp() {
        state.withLock { $0.isHungUp = true }
        ring()
    }

    func setPaused(_ isPaused: Bool) {
        state.withLock { $0.isPaused = isPaused }
        ring()
    }

    var unreadByteCounts: (output: Int, keys: Int) {
        state.withLock { state in
            guard state.descriptorsAreOpen else { return (0, 0) }
            var (output, keys): (Int32, Int32) = (0, 0)
            _ = ioctl(pty.master, UInt(FIONREAD), &output)
            _ = ioctl(pty.slave, UInt(FIONREAD), &keys)
            return (Int(output), Int(keys) + state.outgoing.count)
        }
    }

    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        guard wasOpen else { return }
        ProcessTable.kill(session: pty.process)
        ring()
    }

    func expectNewReader() {
        state.withLock { $0.expectNewReader() }
    }

    func countTypingFromHere() {
        state.withLock { state in
            state.typedByteCount = state.lastIdle?.readByteCount ?? 0
        }
    }

    // MARK: - Looking

    var screen: TerminalScreen { state.withLock { $0.screen } }
    var life: ProgramLife { state.withLock { $0.life } }
    var receivedByteCount: Int { state.withLock { $0.receivedByteCount } }
    var output: [UInt8] { state.withLock { $0.output } }
    var settings: TerminalSettings? {
        state.withLock { $0.descriptorsAreOpen ? pty.settings : nil }
    }

    // MARK: - Waiting

    /// - Parameter needsProgram: The wait fails as soon as the program has exited and its output is
    ///   processed.
    func wait(
        for goal: String, timeout: Duration, needsProgram: Bool = false,
        until isReached: @escaping @Sendable (inout TerminalLineState) -> Bool
    ) async throws {
        let number = state.withLock { state in
            state.nextWait += 1
            return state.nextWait
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let wait = Wait(
                    goal: goal, deadline: .now + timeout, timeout: timeout,
                    needsProgram: needsProgram, isReached: isReached, continuation: continuation)
                let failure = state.withLock { state -> TerminalFailure? in
                    guard !state.isFinished else {
                        return state.failure(of: wait, "the terminal was closed")
                    }
                    state.waits[number] = wait
                    return nil
                }
                if let failure { return continuation.resume(throwing: failure) }
                if Task.isCancelled { cancel(number) }
                ring()
            }
        } onCancel: {
            cancel(number)
        }
    }

    /// Waits until all output that the program had written before this call has arrived.
    ///
    /// A mark is written to the terminal after the program's last byte; the kernel keeps the order.
    func waitForAllOutput(timeout: Duration) async throws {
        let number: Int? = state.withLock { state in
            guard state.descriptorsAreOpen, !state.isHungUp else { return nil }
            let slave = fcntl(pty.slave, F_DUPFD_CLOEXEC, 3)
            guard slave >= 0 else { return nil }
            // When idle there is space for a mark; otherwise the reader thread frees some.
            state.marksSent += 1
            let number = state.marksSent
            DispatchQueue.global().async {
                _ = TerminalLine.mark.withUnsafeBytes { write(slave, $0.baseAddress, $0.count) }
                Glibc.close(slave)
            }
            return number
        }
        guard let number else { return }
        try await wait(for: "the program's last output", timeout: timeout) {
            $0.marksSeen >= number || $0.isHungUp
        }
    }

    private func cancel(_ number: Int) {
        let wait = state.withLock { $0.waits.removeValue(forKey: number) }
        wait?.continuation.resume(throwing: CancellationError())
    }
}

// MARK: - The reader's thread

extension TerminalLine {
    private func ring() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, 8)
    }

    private func moveBytes() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let (isClosed, isHungUp, wantsToWrite, deadline) = state.withLock { state in
                (
                    state.isClosed && state.life.hasEnded, state.isHungUp,
                    !state.outgoing.isEmpty, state.waits.values.map(\.deadline).min()
                )
            }
            if isHungUp { closeDescriptors() }
            if isClosed { break }
            pollOnce(wantsToWrite: wantsToWrite, deadline: deadline, &buffer)
            answerWaits()
        }
        closeDescriptors()
        let left = state.withLock { state in
            state.isFinished = true
            defer { state.waits = [:] }
            return state.waits.values.map { ($0, state.failure(of: $0, "the terminal was closed")) }
        }
        for (wait, failure) in left { wait.continuation.resume(throwing: failure) }
    }

    private func pollOnce(
        wantsToWrite: Bool, deadline: ContinuousClock.Instant?, _ buffer: inout [UInt8]
    ) {
        let (areOpen, isPaused) = state.withLock { ($0.descriptorsAreOpen, $0.isPaused) }
        let interest = (isPaused ? 0 : Int16(POLLIN)) | (wantsToWrite ? Int16(POLLOUT) : 0)
        var watched = [
            pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
            pollfd(fd: areOpen ? pty.master : -1, events: interest, revents: 0),
            pollfd(fd: areOpen ? idleDescriptor : -1, events: Int16(POLLIN), revents: 0),
        ]
        var milliseconds: Int32 = -1
        if let deadline {
            let left = ContinuousClock.now.duration(to: deadline)
            milliseconds = Int32(max(0, min(left / .milliseconds(1) + 1, 1_000_000)))
        }
        guard poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return }
        if watched[0].revents != 0 {
            var count: UInt64 = 0
            _ = read(wakeup, &count, 8)
        }
        if watched[2].revents != 0 { readIdleLines(&buffer) }
        if watched[1].revents & Int16(POLLOUT) != 0 { writeOutgoing() }
        if watched[1].revents & Int16(POLLIN) != 0 { readOutput(&buffer) }
    }

    /// -1 once every other end of the pipe is closed.
    private var idleDescriptor: Int32 { state.withLock { $0.idleHasEnded ? -1 : pty.idle } }

    private func readOutput(_ buffer: inout [UInt8]) {
        // Limited, so that waits are resumed during an endless stream too.
        for _ in 0..<8 {
            let count = read(pty.master, &buffer, buffer.count)
            guard count > 0 else { return }
            state.withLock { $0.receive(buffer[..<count], mark: TerminalLine.mark) }
        }
    }

    private func readIdleLines(_ buffer: inout [UInt8]) {
        let count = read(pty.idle, &buffer, buffer.count)
        state.withLock { state in
            if count > 0 {
                state.receiveIdle(buffer[..<count])
            } else if count == 0 {
                state.idleHasEnded = true
            }
        }
    }

    private func writeOutgoing() {
        state.withLock { state in
            let count = state.outgoing.withUnsafeBytes {
                write(pty.master, $0.baseAddress, min($0.count, 4096))
            }
            if count > 0 { state.removeOutgoing(count) }
        }
    }

    private func answerWaits() {
        let now = ContinuousClock.now
        let answers = state.withLock { state in
            var answers: [(Wait, TerminalFailure?)] = []
            for (number, wait) in state.waits {
                var failure: TerminalFailure?
                if !wait.isReached(&state) {
                    if wait.needsProgram, state.life.hasEnded, state.marksSeen >= state.endMark {
                        failure = state.failure(of: wait, "the program \(state.life)")
                    } else if wait.deadline <= now {
                        failure = state.failure(of: wait, "it did not come in \(wait.timeout)")
                    } else {
                        continue
                    }
                }
                answers.append((wait, failure))
                state.waits[number] = nil
            }
            return answers
        }
        for (wait, failure) in answers {
            if let failure {
                wait.continuation.resume(throwing: failure)
            } else {
                wait.continuation.resume()
            }
        }
    }

    private func closeDescriptors() {
        state.withLock { state in
            guard state.descriptorsAreOpen else { return }
            state.descriptorsAreOpen = false
            Glibc.close(pty.slave)
            Glibc.close(pty.master)
            if pty.idle >= 0 { Glibc.close(pty.idle) }
        }
    }

    // MARK: - The other thread

    private func watchProgram() {
        while true {
            let life = ProgramLife.next(of: pty.process)
            let slave = state.withLock { state in
                state.life = life
                guard life.hasEnded, state.descriptorsAreOpen, !state.isHungUp else {
                    return Int32(-1)
                }
                state.marksSent += 1
                state.endMark = state.marksSent
                return fcntl(pty.slave, F_DUPFD_CLOEXEC, 3)
            }
            ring()
            if slave >= 0 {
                _ = TerminalLine.mark.withUnsafeBytes { write(slave, $0.baseAddress, $0.count) }
                Glibc.close(slave)
            }
            if life.hasEnded { return }
        }
    }
}
