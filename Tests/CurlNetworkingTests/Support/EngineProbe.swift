import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport

@testable import CurlNetworking

/// What the engine has of a task, as far as tests look at it.
struct EngineFacts: Sendable {
    /// Whether it stands in line for a connection.
    let isQueued: Bool
    /// Whether it waits for a connection that another task opens, or for room on one.
    let isAwaitingConnection: Bool
    /// Whether its body is open, and it was suspended before it could connect.
    let isReadyToConnect: Bool
    /// Whether its request is on its way, or its answer.
    let isExchanging: Bool
    /// Whether its delegate was asked something and has not answered.
    let isAsking: Bool
    /// When its timers run out, in nanoseconds of the monotonic clock; nil while they do not run.
    let requestDeadline: UInt64?
    let resourceDeadline: UInt64?

    var runsNoTimer: Bool { requestDeadline == nil && resourceDeadline == nil }

    fileprivate init?(of task: URLSessionTask, in engine: isolated Engine) {
        guard let transfer = engine.transfers[ObjectIdentifier(task)] else { return nil }
        isQueued = transfer.isQueued
        isAwaitingConnection = transfer.state.isAwaitingConnection
        isReadyToConnect = transfer.state.isReadyToConnect
        isExchanging = transfer.state.isExchanging
        isAsking = transfer.isAsking
        requestDeadline = transfer.timers.request.deadline
        resourceDeadline = transfer.timers.resource.deadline
    }
}

/// Waits until the engine has done all that it was asked for before.
func engineIsDone() async {
    await withCheckedContinuation { continuation in
        Engine.shared.thread.submit { _ in continuation.resume() }
    }
}

/// What the engine has of a task after all that it was asked for before; nil when nothing.
func engineFacts(of task: URLSessionTask) async -> EngineFacts? {
    await withCheckedContinuation { continuation in
        Engine.shared.thread.submit { engine in
            continuation.resume(returning: EngineFacts(of: task, in: engine))
        }
    }
}

/// Does something while the engine waits: it finds all that was asked for meanwhile at once.
func holdingEngine(_ work: () -> Void) {
    let gate = DispatchSemaphore(value: 0)
    defer { gate.signal() }
    Engine.shared.thread.submit { _ in gate.wait() }
    work()
}

/// Cancels a task and suspends another one in one job of the engine, which processes nothing in between.
func cancel(_ task: URLSessionTask, suspending other: URLSessionTask) async {
    await withCheckedContinuation { continuation in
        Engine.shared.thread.submit { engine in
            task.cancel()
            engine.abort(task)
            other.suspend()
            engine.lifeChanged(of: other)
            continuation.resume()
        }
    }
}

/// Waits until the engine has come so far with a task; returns whether it has within half a minute.
func engine(
    has task: URLSessionTask, _ isReached: @escaping @Sendable (EngineFacts) -> Bool
) async -> Bool {
    await engine { engine in EngineFacts(of: task, in: engine).map(isReached) ?? false }
}

/// Waits until something is so when the engine has nothing more to do at the moment; returns whether it was
/// within half a minute.
func engine(_ isSo: @escaping @Sendable (isolated Engine) -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
        let end = ContinuousClock.now + .seconds(30)
        Engine.shared.thread.submit { engine in
            engine.observers.append { engine in
                let isMet = isSo(engine)
                guard isMet || ContinuousClock.now > end else { return false }
                continuation.resume(returning: isMet)
                return true
            }
        }
        // It may sleep then.
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(31)) {
            Engine.shared.thread.submit { _ in }
        }
    }
}

/// Waits until something has come on a connection to a port of this machine that nobody has read, its end
/// for instance, or libcurl has closed it for that, as it does now and then; returns whether it has within
/// half a minute.
func engine(hasUnreadOnConnectionTo port: UInt16) async -> Bool {
    await withCheckedContinuation { continuation in
        Engine.shared.thread.submit { engine in
            // Their numbers may be of other files before the wait is over.
            let copies = engine.sockets.sockets.keys.filter { $0.remotePort == Int32(port) }
                .compactMap { engine.sockets.socket(of: $0) }.map { dup($0) }
            Thread.detachNewThread {
                var entries = copies.map {
                    // Its end can be read, too.
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                let isThere = entries.isEmpty || poll(&entries, nfds_t(entries.count), 30_000) > 0
                for copy in copies { close(copy) }
                continuation.resume(returning: isThere)
            }
        }
    }
}

/// Requests of another session, one after another: all the time the engine needs to run ahead of a task
/// that it should hold.
///
/// A round takes the engine, the server and Dispatch alone: the threads of Swift's tasks may be busy with
/// other tests for seconds, each time one is needed.
final class RequestsAside: Sendable {
    private let server: LoopbackServer
    private let session = makeSession()

    init() throws {
        server = try LoopbackServer { _ in [.answer(body: "x")] }
    }

    func run(_ count: Int) async throws {
        try await withCheckedThrowingContinuation { continuation in
            run(count) { continuation.resume(with: $0) }
        }
    }

    private func run(
        _ left: Int, then finish: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        guard left > 0 else { return finish(.success(())) }
        session.dataTask(with: server.url()) { [self] _, _, error in
            if let error { return finish(.failure(error)) }
            run(left - 1, then: finish)
        }.resume()
    }
}
