import Testing

@testable import CurlNetworking

@Suite struct ConnectionLossTests {
    /// libcurl says it in words alone, and also quotes there what others have said.
    @Test(arguments: [
        ("HTTP/2 stream 5 refused by server, try again on a new connection", Loss.refused),
        ("[HTTP/2] [5] REFUSED_STREAM, try again on a new connection\n", .refused),
        ("Downgrades to HTTP/1.1", .needsHTTP1), ("Downgrades to HTTP/1.1\n", .needsHTTP1),
        ("[HTTP/2] [1] OPENED stream for https://a.test/refused by server", nil),
        ("[HTTP/2] [1] [dropbox-api-arg: {\"path\":\"/REFUSED_STREAM.txt\"}]", nil),
        ("[HTTP/2] [1] [x: 1] REFUSED_STREAM, try again on a new connection]", nil),
        ("[HTTP/2] [0] FRAME[GOAWAY, error=0, reason='refused by server', last_stream=1]", nil),
        ("[HTTP/2] [1] [x: Downgrades to HTTP/1.1]", nil), ("", nil),
    ])
    func onlyLibcurlsOwnWordsTellOfARefusal(remark: String, loss: Loss?) {
        #expect(Loss(remark: remark) == loss)
    }

    typealias Loss = Attempt.ConnectionLoss
}

@Suite struct LostRequestTests {
    /// RFC 9110 §9.2.2, RFC 4918 §9.
    private static let idempotent = [
        "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "PROPFIND", "PROPPATCH", "MKCOL",
        "COPY", "MOVE", "UNLOCK", "REPORT", "SEARCH",
    ]
    private static let others = ["POST", "PATCH", "LOCK", "CONNECT", "get", "put", "UNHEARD", ""]

    private func isSentAgain(
        _ method: String, hasLeft: Bool, isRepetition: Bool = false
    ) -> Bool {
        LostRequest(method: method, hasLeft: hasLeft, isRepetition: isRepetition).isSentAgain
    }

    @Test(arguments: idempotent + others)
    func whatNeverLeftIsSent(method: String) {
        #expect(isSentAgain(method, hasLeft: false))
        #expect(isSentAgain(method, hasLeft: false, isRepetition: true))
    }

    @Test(arguments: idempotent)
    func anIdempotentMethodIsSentOnceMore(method: String) {
        #expect(isSentAgain(method, hasLeft: true))
        #expect(!isSentAgain(method, hasLeft: true, isRepetition: true))
    }

    @Test(arguments: others)
    func everyOtherMethodIsNot(method: String) {
        #expect(!isSentAgain(method, hasLeft: true))
    }

    /// RFC 9113 §8.7.
    @Test(arguments: idempotent + others)
    func whatTheServerHasRefusedIsSentAgainAFewTimes(method: String) {
        for count in 0..<5 {
            #expect(
                LostRequest(
                    method: method, hasLeft: true, isRepetition: count > 0, isRefused: true,
                    lossCount: count
                ).isSentAgain)
        }
        #expect(
            !LostRequest(
                method: method, hasLeft: true, isRepetition: true, isRefused: true, lossCount: 5
            ).isSentAgain)
    }
}
