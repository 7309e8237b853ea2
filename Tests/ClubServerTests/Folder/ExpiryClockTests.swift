import Testing

@testable import ClubServer

@Suite struct ExpiryClockTests {
    private static let day: Int64 = 86_400
    private static let start: Int64 = 1_800_000_000

    @Test func followsTheComputersClock() {
        var clock = ExpiryClock(latest: nil, now: Self.start)
        #expect(clock == ExpiryClock(believed: Self.start))
        clock.start(at: Self.start + Self.day)
        #expect(clock == ExpiryClock(believed: Self.start + Self.day))
    }

    @Test func neverGoesBack() {
        var clock = ExpiryClock(believed: Self.start)
        clock.start(at: 0)
        #expect(clock.believed == Self.start)
    }

    @Test func aLeapAheadIsBelievedWhenItIsSeenADayLater() {
        var clock = ExpiryClock(believed: Self.start)
        let late = Self.start + 200 * Self.day
        clock.start(at: late)
        clock.start(at: late + 3600)
        #expect(clock.believed == Self.start)
        clock.start(at: late + Self.day)
        #expect(clock == ExpiryClock(believed: late + Self.day))
    }

    /// After a week without a server a claim is pending; a wrong clock the next day must not be taken for its proof.
    @Test func anotherLeapIsNoProofOfTheFirst() {
        var clock = ExpiryClock(believed: Self.start)
        let back = Self.start + 7 * Self.day
        clock.start(at: back)
        let wrong = back + 3650 * Self.day
        clock.start(at: wrong)
        #expect(clock == ExpiryClock(believed: back, claimed: wrong))
        clock.start(at: back + Self.day)
        #expect(clock == ExpiryClock(believed: back + Self.day))
    }

    @Test func aLeapThatIsTakenBackIsForgotten() {
        var clock = ExpiryClock(believed: Self.start)
        clock.start(at: Self.start + 365 * Self.day)
        clock.start(at: Self.start + 3600)
        #expect(clock == ExpiryClock(believed: Self.start + 3600))
    }

    @Test func withoutAClockOfItsOwnWhatWasKeptLastIsBelieved() {
        let clock = ExpiryClock(latest: Self.start, now: Self.start + 365 * Self.day)
        #expect(clock.believed == Self.start)
    }

    @Test func isALineOfTheLog() {
        for clock in [
            ExpiryClock(believed: Self.start), ExpiryClock(believed: 1, claimed: Self.start),
        ] {
            let line = RevisionLine.clock(clock)
            #expect(RevisionLine(line.text.dropLast()) == line)
        }
    }
}
