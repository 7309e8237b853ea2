import Foundation
import Testing

@testable import ClubStore

@Suite struct RetryAfterTests {
    private let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(arguments: [
        ("0", 0), ("120", 120), (" 5 ", 5), ("99999999999", 86_400),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("Sun, 06 Nov 1994 08:50:07 GMT", 30),
        ("Sun, 06 Nov 1994 00:00:00 GMT", 0), ("Mon, 07 Nov 1994 08:49:36 GMT", 86_399),
        ("Thu, 29 Feb 2096 00:00:00 GMT", 86_400),
    ])
    func reads(_ field: String, _ seconds: Int) {
        #expect(RetryAfter.parse(field, now: now) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "soon", "-1", "1.5", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
    ])
    func makesNothingOfAnythingElse(_ field: String) {
        #expect(RetryAfter.parse(field, now: now) == nil)
    }
}
