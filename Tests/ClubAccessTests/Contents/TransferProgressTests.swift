import Testing

@testable import ClubAccess

@Suite struct TransferProgressTests {
    @Test func measuresSpeedAndTimeLeftOverTheLastSeconds() {
        var progress = TransferProgress(expectedByteCount: 10_000)
        for tenth in 0...40 {
            progress.record(
                byteCount: Int64(tenth * 100), of: 10_000, at: .milliseconds(tenth * 100))
        }
        #expect(progress.byteCount == 4000)
        #expect(progress.fraction == 0.4)
        #expect(abs((progress.bytesPerSecond ?? 0) - 1000) < 1)
        #expect(progress.timeLeft.map { $0 > .seconds(5.9) && $0 < .seconds(6.1) } == true)
    }

    @Test func followsAChangeOfSpeed() {
        var progress = TransferProgress(expectedByteCount: 1_000_000)
        for second in 0...60 {
            progress.record(byteCount: Int64(second * 10_000), of: 1_000_000, at: .seconds(second))
        }
        for second in 61...70 {
            let count = 600_000 + Int64(second - 60) * 1_000
            progress.record(byteCount: count, of: 1_000_000, at: .seconds(second))
        }
        #expect((progress.bytesPerSecond ?? 0) < 1_500)
    }

    @Test func saysNothingAboutSpeedTooEarly() {
        var progress = TransferProgress(expectedByteCount: 100)
        #expect(progress.bytesPerSecond == nil)
        progress.record(byteCount: 50, of: 100, at: .zero)
        progress.record(byteCount: 60, of: 100, at: .milliseconds(10))
        #expect(progress.bytesPerSecond == nil)
        #expect(progress.timeLeft == nil)
    }

    @Test func neverRunsBackwards() {
        var progress = TransferProgress(expectedByteCount: 100)
        progress.record(byteCount: 80, of: 100, at: .seconds(1))
        progress.record(byteCount: 20, of: 100, at: .seconds(2))
        #expect(progress.byteCount == 80)
    }

    @Test func survivesCountsThatMakeNoSense() {
        var progress = TransferProgress(expectedByteCount: -5)
        #expect(progress.fraction == 0)
        progress.record(byteCount: 500, of: 100, at: .zero)
        #expect(progress.fraction == 1)
        #expect(progress.timeLeft == nil)
    }
}
