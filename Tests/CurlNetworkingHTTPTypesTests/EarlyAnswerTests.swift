import CurlNetworking
import CurlNetworkingHTTPTypes
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What becomes of a writer whose request is over before its body is.
@Suite(.timeLimit(.minutes(2))) struct EarlyAnswerTests {
    /// A server that has refused a body reads no more of it: that is not an error, and the writer is told.
    @Test func anEarlyRefusalIsTheResponse() async throws {
        let server = try LoopbackServer(scripts: [
            [
                .readHead,
                .send(
                    "HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfull"),
                .stall,
            ]
        ])
        let (ends, ended) = AsyncStream<Bool>.makeStream()
        let (response, body) = try await makeSession().send(
            server.request(method: .post),
            body: .written { writer in
                defer { ended.yield(Task.isCancelled) }
                while true { try await writer.write(Data(count: 100_000)) }
            })
        #expect(response.status.code == 413)
        #expect(try await body.collect(upTo: 4) == Data("full".utf8))
        // It knows that it is not wanted when it is woken.
        #expect(await ends.first { _ in true } == true)
    }
}
