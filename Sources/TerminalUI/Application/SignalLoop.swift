import Dispatch
import Glibc

/// Delivers signals on the main queue.
///
/// A handler writes the signal's number into a pipe that the main queue reads. Unlike a signal source, this
/// does not depend on which thread has which signals blocked.
@MainActor
final class SignalLoop {
    private static let numbers = [SIGWINCH, SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT]

    private weak var application: Application?
    private let readEnd: Int32
    private let writeEnd: Int32
    private let source: any DispatchSourceRead
    private var previousActions: [Int32: sigaction] = [:]

    /// Nil if no descriptors are available.
    init?(application: Application) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        self.application = application
        source = DispatchSource.makeReadSource(fileDescriptor: readEnd, queue: .main)
        source.setEventHandler { @Sendable [weak self] in
            MainActor.assumeIsolated { self?.readAvailable() }
        }
        source.setCancelHandler { @Sendable [readEnd, writeEnd] in
            close(readEnd)
            close(writeEnd)
        }
        source.activate()
        signalPipe = writeEnd
        for number in Self.numbers { install(number) }
        // Writing to a closed pipe or socket should be an error, not a fatal signal.
        var ignore = sigaction()
        ignore.__sigaction_handler.sa_handler = SIG_IGN
        var previous = sigaction()
        sigaction(SIGPIPE, &ignore, &previous)
        previousActions[SIGPIPE] = previous
    }

    /// Whether a signal waits to be handled.
    var isPending: Bool {
        var request = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    /// Restores the signals' previous actions.
    func stop() {
        for (number, action) in previousActions {
            var action = action
            sigaction(number, &action, nil)
        }
        previousActions = [:]
        signalPipe = -1
        source.cancel()
    }

    /// Stops the whole process, as `^Z` does elsewhere; returns when it is continued.
    func stopProcess() {
        var standard = sigaction()
        standard.__sigaction_handler.sa_handler = SIG_DFL
        sigaction(SIGTSTP, &standard, nil)
        sigaction(SIGCONT, &standard, nil)
        // Threads of the main queue may have the signal blocked.
        var stop = sigset_t()
        var before = sigset_t()
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stop, &before)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        reinstall(SIGTSTP)
        reinstall(SIGCONT)
    }

    private func install(_ number: Int32) {
        var previous = sigaction()
        var action = makeAction()
        sigaction(number, &action, &previous)
        previousActions[number] = previous
    }

    private func reinstall(_ number: Int32) {
        var action = makeAction()
        sigaction(number, &action, nil)
    }

    private func makeAction() -> sigaction {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = noteSignal
        action.sa_flags = SA_RESTART
        return action
    }

    private func readAvailable() {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = read(readEnd, &numbers, numbers.count)
        guard count > 0 else { return }
        // Many resizes are handled as one.
        var handled: Set<UInt8> = []
        for number in numbers[..<count] where handled.insert(number).inserted {
            application?.handle(signal: Int32(number))
        }
        application?.drawIfNeeded()
        application?.checkIdle()
    }
}

/// The pipe for ``noteSignal(_:)``. Written on the main actor while no handler is installed, read by
/// handlers; accesses to a word are atomic.
private nonisolated(unsafe) var signalPipe: Int32 = -1

/// Uses only functions that are safe in a signal handler.
private func noteSignal(_ number: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    write(signalPipe, &byte, 1)
    errno = saved
}
