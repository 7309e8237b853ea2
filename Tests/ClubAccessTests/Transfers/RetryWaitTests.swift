import ClubStore
import Testing

@testable import ClubAccess

/// How long a transfer waits before it is tried again.
@Suite struct RetryWaitTests {
    private func waits(after code: StoreError.Code) -> [Duration?] {
        (1...7).map { StoreError(code, during: .upload).waitBeforeRetry(afterFailures: $0) }
    }

    @Test(arguments: [nil, Duration.zero, .seconds(1)])
    func aServerThatAsksForNoPauseIsAskedLessAndLess(wait: Duration?) {
        let growing = [2, 4, 8, 16, 32, 60, 60].map { Duration?.some(.seconds($0)) }
        #expect(waits(after: .rateLimited(retryAfter: wait)) == growing)
        #expect(waits(after: .serverUnavailable(retryAfter: wait)) == growing)
    }

    @Test func aServerThatSaysWhenIsNotAskedBefore() {
        let code = StoreError.Code.rateLimited(retryAfter: .seconds(600))
        #expect(waits(after: code) == Array(repeating: .seconds(600), count: 7))
    }
}
