import CurlNetworkingPlatform
import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// A program that is stopped for longer than its timeouts, as by ^Z, and continued.
@Suite(.timeLimit(.minutes(1))) struct StoppedProgramTests {
    /// In a process of its own: the engine stands still for all sessions.
    @Test func whatHasArrivedMeanwhileIsNotTooLate() async {
        await #expect(processExitsWith: .success) {
            let gate = LoopbackGate()
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone".utf8)
            let server = try LoopbackServer(scripts: [[.readHead, .wait(gate), .send(answer)]])
            var request = URLRequest(url: server.url())
            request.timeoutInterval = 0.5
            let session = URLSession(configuration: .ephemeral)
            let loading = Task { [request] in try await session.data(for: request).0 }
            await server.bytes(atLeast: 16)
            Engine.shared.thread.submit { _ in
                gate.open()
                usleep(1_000_000)
            }
            #expect(try await loading.value == Data("done".utf8))
        }
    }
}
