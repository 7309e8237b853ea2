import Foundation
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
    /// Whether its delegate was asked something and has not answered.
    let isAsking: Bool
    /// When its timers run out, in nanoseconds of the monotonic clock; nil while they do not run.
    let requestDeadline: UInt64?
    let resourceDeadline: UInt64?

    var runsNoTimer: Bool { requestDeadline == nil && resourceDeadline == nil }
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
            let transfer = engine.transfers[ObjectIdentifier(task)]
            continuation.resume(
                returning: transfer.map { transfer in
                    EngineFacts(
                        isQueued: transfer.isQueued,
                        isAwaitingConnection: transfer.state.isAwaitingConnection,
                        isReadyToConnect: transfer.state.isReadyToConnect,
                        isAsking: transfer.isAsking,
                        requestDeadline: transfer.timers.request.deadline,
                        resourceDeadline: transfer.timers.resource.deadline)
                })
        }
    }
}

/// Waits until the engine has come so far with a task; returns whether it has within half a minute.
func engine(
    has task: URLSessionTask, _ isReached: (EngineFacts) -> Bool
) async -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    repeat {
        if let facts = await engineFacts(of: task), isReached(facts) { return true }
        await Task.yield()
    } while ContinuousClock.now < end
    return false
}

/// Waits until something has come on a connection to a port of this machine that nobody has read, its end
/// for instance, or libcurl has closed it for that, as it does now and then; returns whether it has within
/// half a minute.
func engine(hasUnreadOnConnectionTo port: UInt16) async -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    repeat {
        let isThere = await withCheckedContinuation { continuation in
            Engine.shared.thread.submit { engine in
                let open = engine.sockets.sockets.keys.filter { $0.remotePort == Int32(port) }
                    .compactMap { engine.sockets.socket(of: $0) }
                continuation.resume(
                    returning: open.isEmpty || open.contains { !ConnectionSockets.isReady($0) })
            }
        }
        if isThere { return true }
        await Task.yield()
    } while ContinuousClock.now < end
    return false
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
