import CLinux
import Dispatch
import FlyingSocks
import Glibc
import Synchronization

/// Tells tasks when their sockets are ready: one epoll set behind one Dispatch source.
///
/// FlyingSocks' own pool keeps a table of what it registered and wakes a waiter before it takes the
/// descriptor off that table; a connection closed in between leaves a line behind, and the next
/// connection with that number waits for ever. Here each wait is armed once, and the kernel's table
/// is the only one.
final class ReadinessPool: AsyncSocketPool {
    private let epoll: Descriptor
    private let queue = DispatchQueue(label: "byteclub.club.sockets")
    private let state = Mutex(State())

    private struct State {
        var source: ReadSource?
        var waits: [Int32: Wait] = [:]
        var lastNumber: UInt64 = 0
        var isStopped = false
    }

    private struct Wait {
        let number: UInt64
        let continuation: CheckedContinuation<Void, any Error>
    }

    init() throws(SystemError) {
        epoll = try .opened("epoll", byteclub_epoll_create())
    }

    func start() {
        let source = ReadSource(epoll.number, on: queue, keeping: self) { [weak self] in
            self?.collect()
        }
        state.withLock { $0.source = source }
    }

    /// Ends every wait.
    func stop() {
        let (source, waits) = state.withLock { state in
            state.isStopped = true
            defer { state.waits = [:] }
            return (state.source.take(), state.waits.values.map(\.continuation))
        }
        source?.cancel()
        for wait in waits { wait.resume(throwing: CancellationError()) }
    }

    /// Returns when a descriptor can be read (or its other side has closed), or written.
    ///
    /// It may return early; the caller tries and waits again. One wait per descriptor at a time.
    func wait(for descriptor: Int32, toWrite: Bool) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isRefused = state.withLock { state in
                    if state.isStopped || Task.isCancelled { return true }
                    precondition(
                        state.waits[descriptor] == nil, "two tasks wait for one descriptor")
                    state.waits[descriptor] = Wait(number: number, continuation: continuation)
                    return false
                }
                if isRefused {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                let events = toWrite ? byteclub_writable : byteclub_readable
                let code = byteclub_epoll_arm(epoll.number, descriptor, events)
                if code != 0 {
                    end(descriptor, number, .failure(SystemError("epoll", code: code)))
                }
            }
        } onCancel: {
            end(descriptor, number, .failure(CancellationError()))
        }
    }

    private func end(_ descriptor: Int32, _ number: UInt64, _ result: Result<Void, any Error>) {
        let wait = state.withLock { state in
            state.waits[descriptor]?.number == number
                ? state.waits.removeValue(forKey: descriptor) : nil
        }
        wait?.continuation.resume(with: result)
    }

    private func collect() {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 64) { ready in
            while let start = ready.baseAddress {
                let count = Int(byteclub_epoll_collect(epoll.number, start, 64))
                guard count > 0 else { return }
                let descriptors = Array(ready.prefix(count))
                let waits = state.withLock { state in
                    descriptors.compactMap { state.waits.removeValue(forKey: $0) }
                }
                for wait in waits { wait.continuation.resume() }
                if count < 64 { return }
            }
        }
    }

    // MARK: - AsyncSocketPool

    func prepare() async throws {}

    func run() async throws {}

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        try await wait(for: socket.file.rawValue, toWrite: events.contains(.write))
    }
}
