import CurlNetworking
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct DescriptionTests {
    @Test func whatIsPrintedSaysWhatHappenedAndNoSecret() async throws {
        let server = try LoopbackServer { _ in
            [
                .answer(
                    "200 OK", ["Content-Type: text/plain", "Set-Cookie: a=secret"], body: "12345")
            ]
        }
        let delegate = RecordingDelegate()
        let session = makeSession(delegate)
        let url = try #require(
            URL(string: "http://u:secret@127.0.0.1:\(server.port)/path?token=secret#secret"))
        var request = URLRequest(url: url)
        request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        let task = session.dataTask(with: request)
        let place = "http://127.0.0.1:\(server.port)/path"
        #expect("\(task)" == "URLSessionDataTask 1, suspended: GET \(place)")
        task.resume()
        await delegate.completion()
        #expect(try "\(#require(task.response))" == "200 \(place) text/plain, 5 bytes")
        let metrics = try #require(delegate.snapshot.metrics.first)
        let transaction = try #require(metrics.transactionMetrics.first)
        #expect("\(transaction)".hasPrefix("GET \(place): 200 in "))
        #expect("\(transaction)".hasSuffix(" s, http/1.1, 5 bytes"))
        for text in ["\(task)", "\(metrics)", "\(transaction)", "\(task.response as Any)"] {
            #expect(!text.contains("secret"))
        }
    }

    @Test func aRequestsDebugDescriptionHasItsMethodAndTheLengthOfItsBody() throws {
        var request = URLRequest(url: try #require(URL(string: "http://u:p@a.test/b?c=d")))
        request.httpMethod = "PUT"
        request.httpBody = Data("12345".utf8)
        #expect(request.debugDescription == "PUT http://a.test/b?c=d, 5 bytes")
    }
}
