import DropboxAPI
import FoundationEssentials
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2013-08-10T23:21:03Z", 1_376_176_863),
        ("2000-02-29T12:00:00Z", 951_825_600), ("1969-12-31T23:59:59Z", -1),
        ("1900-03-01T00:00:00Z", -2_203_891_200), ("2100-12-31T23:59:59Z", 4_133_980_799),
        ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ])
    func moments(text: String, seconds: Int64) throws {
        #expect(try #require(Timestamp(text)).secondsSince1970 == seconds)
        #expect(Timestamp(secondsSince1970: seconds).description == text)
    }

    @Test(arguments: [
        "", "2013-08-10", "2013-08-10T23:21:03", "2013-08-10T23:21:03.5Z", "2013-8-10T23:21:03Z",
        "2013-13-10T23:21:03Z", "2013-02-30T23:21:03Z", "2100-02-29T00:00:00Z",
        "2013-08-10T24:00:00Z", "2013-08-10t23:21:03z", "+013-08-10T23:21:03Z",
        "2013-08-10T23:21:03+00:00",
    ])
    func otherTextIsRefused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func aDateIsCutToItsSecond() {
        #expect(Timestamp(Date(timeIntervalSince1970: 1.9)).secondsSince1970 == 1)
        #expect(Timestamp(Date(timeIntervalSince1970: -0.1)).secondsSince1970 == -1)
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)).secondsSince1970 == 0)
    }
}

@Suite struct StrangeTimeTests {
    @Test(arguments: [Int64.min, -62_167_219_201, 253_402_300_800, .max])
    func becomeTheNearestThatCanBeWritten(seconds: Int64) throws {
        let text = Timestamp(secondsSince1970: seconds).description
        #expect(text.utf8.count == 20)
        #expect(Timestamp(text) == Timestamp(secondsSince1970: seconds))
    }
}
