import Testing

@testable import ClubStore

@Suite struct RateLimiterTests {
    @Test func restsUntilTheBytesAreDue() {
        var pace = RateLimiter(bytesPerSecond: 1000)
        #expect(pace.delay(after: 500, now: .seconds(10)) == .milliseconds(500))
        // Half of the delay has passed when the next bytes have moved.
        #expect(pace.delay(after: 500, now: .milliseconds(10_250)) == .milliseconds(750))
    }

    @Test func doesNotCatchUpByABurst() {
        var pace = RateLimiter(bytesPerSecond: 1000)
        _ = pace.delay(after: 10, now: .seconds(10))
        // A minute without traffic earns one second's worth.
        #expect(pace.delay(after: 1000, now: .seconds(70)) == .zero)
        #expect(pace.delay(after: 1000, now: .seconds(70)) == .seconds(1))
    }

    @Test func goesAsFastAsItGoesWithoutALimit() {
        var pace = RateLimiter(bytesPerSecond: nil)
        #expect(pace.delay(after: .max, now: .zero) == .zero)
        pace.bytesPerSecond = 0
        #expect(pace.delay(after: 1, now: .zero) == .zero)
    }

    @Test func keepsTheAverageOverManySmallPieces() {
        var pace = RateLimiter(bytesPerSecond: 1 << 20)
        var now = Duration.zero
        for _ in 0..<1024 { now += pace.delay(after: 4096, now: now) }
        #expect(now >= .milliseconds(3999) && now <= .milliseconds(4001))
    }
}
