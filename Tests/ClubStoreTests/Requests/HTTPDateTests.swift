import CurlNetworking
import Foundation
import Testing

@testable import ClubStore

@Suite struct HTTPDateTests {
    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 1994 09:49:37 +0100",
        "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "06 Nov 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z", "1994-11-06T08:49:37.123Z", "1994-11-06T06:49:37-02:00",
    ])
    func readsWhatServersWrite(_ text: String) {
        #expect(HTTPDate.parseLeniently(text)?.timeIntervalSince1970 == 784_111_777)
    }

    @Test(arguments: [
        "", "yesterday", "Sun,", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994", "T",
        "1994-11-06", "99999999999999999999-01-01T00:00:00Z", "Sun, -6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:4 GMT",
    ])
    func takesNothingElse(_ text: String) {
        #expect(HTTPDate.parseLeniently(text) == nil)
    }
}
