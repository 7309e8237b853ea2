import Foundation
import Testing

@testable import ClubAccess

@Suite struct WordingTests {
    @Test(
        arguments: [
            (0, "0 B"), (-4, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (1249, "1.2 KB"),
            (9_949, "9.9 KB"), (9_960, "10 KB"), (999_499, "999 KB"), (999_501, "1.0 MB"),
            (34_400_000, "34 MB"), (1_073_741_824, "1.1 GB"), (Int64.max, "9223 PB"),
        ] as [(Int64, String)])
    func wordsSizes(count: Int64, text: String) {
        #expect(Wording.byteCount(count) == text)
    }

    @Test(
        arguments: [
            (0.2, "1 s left"), (59, "59 s left"), (61, "1 min left"), (95, "2 min left"),
            (3599, "60 min left"), (7300, "2 h left"), (1e7, "days left"),
        ] as [(Double, String)])
    func wordsTimeLeft(seconds: Double, text: String) {
        #expect(Wording.timeLeft(.seconds(seconds)) == text)
    }

    @Test(
        arguments: [
            (0.0, "now"), (-500, "now"), (59, "now"), (61, "1 min"), (3_599, "59 min"),
            (7_200, "2 h"),
            (86_400 * 2, "2 d"),
        ] as [(Double, String)])
    func wordsAges(seconds: Double, text: String) {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        #expect(Wording.age(of: now.addingTimeInterval(-seconds), at: now) == text)
    }

    @Test func wordsOlderAgesAsDates() {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        #expect(Wording.age(of: now.addingTimeInterval(-86_400 * 30), at: now).contains(" "))
        #expect(Wording.age(of: now.addingTimeInterval(-86_400 * 500), at: now).count == 8)
    }
}
