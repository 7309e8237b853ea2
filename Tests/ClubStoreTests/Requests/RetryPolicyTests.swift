import Testing

@testable import ClubStore

@Suite struct RetryPolicyTests {
    /// Every delay until it gives up, with maximum jitter.
    private func waits(
        after failure: RetryPolicy.Failure, isRepeatable: Bool = true,
        policy: RetryPolicy = RetryPolicy()
    ) -> [Duration] {
        var spent = RetryPolicy.Spent()
        var waits: [Duration] = []
        while let wait = policy.wait(
            after: failure, isRepeatable: isRepeatable, spent: &spent, jitter: 1)
        {
            waits.append(wait)
        }
        return waits
    }

    @Test(arguments: [400, 401, 403, 404, 405, 409, 413, 422, 300, 304])
    func neverRepeatsWhatWasRefused(_ status: Int) {
        #expect(waits(after: .status(status, retryAfter: nil)).isEmpty)
        #expect(waits(after: .status(status, retryAfter: .seconds(1))).isEmpty)
    }

    @Test func waitsAsLongAsTheServerAsks() {
        #expect(
            waits(after: .status(429, retryAfter: .seconds(3)))
                == [.seconds(3), .seconds(3), .seconds(3), .seconds(3)])
        #expect(waits(after: .status(503, retryAfter: .seconds(7))).first == .seconds(7))
        #expect(waits(after: .busy(retryAfter: .seconds(2))).first == .seconds(2))
    }

    @Test func aServerThatAsksForNoPauseGetsOneFromTheSecondTimeOn() {
        for failure in [
            RetryPolicy.Failure.status(429, retryAfter: .zero), .status(503, retryAfter: .zero),
            .busy(retryAfter: .zero),
        ] {
            #expect(waits(after: failure) == [.zero, .seconds(1), .seconds(1), .seconds(1)])
        }
    }

    @Test func waitsFiveSecondsForABusyServerThatDoesNotSay() {
        #expect(waits(after: .status(429, retryAfter: nil)).first == .seconds(5))
    }

    @Test func doesNotWaitForAnHour() {
        #expect(waits(after: .status(429, retryAfter: .seconds(3600))).isEmpty)
        #expect(waits(after: .status(503, retryAfter: .seconds(31))).isEmpty)
        #expect(waits(after: .status(429, retryAfter: .seconds(20))) == [.seconds(20)])
    }

    @Test func backsOffFromServerErrors() {
        #expect(
            waits(after: .status(500, retryAfter: nil))
                == [.seconds(1), .seconds(2), .seconds(4), .seconds(8)])
    }

    @Test func jitterSpreadsTheBackoff() {
        var spent = RetryPolicy.Spent()
        let wait = RetryPolicy().wait(
            after: .status(502, retryAfter: nil), isRepeatable: true, spent: &spent, jitter: 0.25)
        #expect(wait == .milliseconds(250))
    }

    @Test func repeatsAServerErrorOnlyWhereTwiceDoesNoHarm() {
        #expect(waits(after: .status(500, retryAfter: nil), isRepeatable: false).isEmpty)
        // Unavailable means that nothing was done.
        #expect(waits(after: .status(503, retryAfter: nil), isRepeatable: false).count == 4)
    }

    @Test func connectsAnewOnce() {
        #expect(waits(after: .unreachable).count == 1)
        #expect(waits(after: .unreachable, isRepeatable: false).count == 1)
        #expect(waits(after: .broken).count == 1)
        #expect(waits(after: .broken, isRepeatable: false).isEmpty)
    }

    @Test func connectsMoreOftenWithGrowingTimeoutsWhereToldTo() {
        var policy = RetryPolicy()
        policy.reconnections = 3
        #expect(
            waits(after: .broken, policy: policy)
                == [.milliseconds(200), .milliseconds(800), .milliseconds(3200)])
    }

    @Test func doesNotRepeatWhatTookTooLong() {
        #expect(waits(after: .timedOut).isEmpty)
    }
}
