import Testing

@testable import CurlNetworking

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
