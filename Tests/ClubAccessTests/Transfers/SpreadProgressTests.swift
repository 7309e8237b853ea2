import Testing

@testable import ClubAccess

@Suite struct SpreadProgressTests {
    /// A receiver reads 60 KB/s, and acknowledges what fits into its buffer when half of that is free.
    @Test func onASlowLineItIsNeverASecondAheadOfTheReceiver() {
        let (rate, buffer) = (60_000.0, Int64(128_000))
        let total = Int64(2_300_000)
        var progress = SpreadProgress()
        var taken: Int64 = 0
        var last: Int64 = 0
        for tick in 0...600 {
            let seconds = Double(tick) / 10
            let read = min(Int64(seconds * rate), taken)
            if taken - read < buffer / 2, taken < total {
                taken = min(total, read + buffer)
                progress.record(taken, at: .seconds(seconds))
            }
            let shown = progress.shown(at: .seconds(seconds))
            #expect(shown >= last && shown <= taken)
            #expect(shown - read <= max(Int64(rate), total / 20), "after \(seconds) s")
            #expect(read - shown <= Int64(2 * rate), "after \(seconds) s")
            last = shown
        }
        #expect(last == total)
    }

    @Test func whatComesInQuickSuccessionIsShownAtOnce() {
        var progress = SpreadProgress()
        for tick in 1...50 {
            let time = Duration.milliseconds(tick * 100)
            progress.record(Int64(tick) * 1_000_000, at: time)
            guard tick > 1 else { continue }
            #expect(progress.shown(at: time) == Int64(tick) * 1_000_000)
            #expect(!progress.isMoving(at: time))
        }
    }

    @Test func whatIsSentAgainBeginsThere() {
        var progress = SpreadProgress()
        progress.record(500_000, at: .seconds(1))
        progress.record(100_000, at: .seconds(5))
        #expect(progress.shown(at: .seconds(5)) == 100_000)
        progress.record(200_000, at: .seconds(20))
        #expect((100_000...110_000).contains(progress.shown(at: .seconds(20.1))))
        #expect(progress.shown(at: .seconds(22)) == 200_000)
    }

    @Test func goesOnWhereItWas() {
        var progress = SpreadProgress(startingAt: 500)
        #expect(progress.shown(at: .zero) == 500)
        progress.record(500, at: .seconds(1))
        #expect(progress.shown(at: .seconds(1)) == 500)
        progress.record(600, at: .seconds(2))
        #expect((500...600).contains(progress.shown(at: .seconds(2))))
        #expect(progress.shown(at: .seconds(10)) == 600)
    }
}
