import CurlNetworking
import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

/// Sessions share an engine, and nothing else.
@Suite(.timeLimit(.minutes(1))) struct SessionsApartTests {
    @Test func aSessionWhoseDelegateIsStuckHoldsUpNoOther() async throws {
        let server = try LoopbackServer { request in
            guard request.target == "/large" else { return [.answer(body: "small")] }
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n"
            return [.send(head), .fill(7, byteCount: 20_000_000)]
        }
        let isStuck = Signal()
        let mayGoOn = DispatchSemaphore(value: 0)
        let isFirst = Mutex(true)
        let delegate = RecordingDelegate {
            $0.data = { _, _ in
                let waits = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                guard waits else { return }
                isStuck.add()
                mayGoOn.wait()
            }
        }
        let session = makeSession(delegate)
        let task = session.dataTask(with: server.url("/large"))
        task.resume()
        await isStuck.wait()
        for _ in 0..<20 {
            let other = RecordingDelegate()
            makeSession(other).dataTask(with: server.url("/small")).resume()
            await other.completion()
            #expect(other.body == Data("small".utf8))
        }
        #expect(task.state == .running)
        mayGoOn.signal()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.body.count == 20_000_000)
    }
}
