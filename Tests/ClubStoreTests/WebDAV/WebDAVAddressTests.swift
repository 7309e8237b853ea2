import Foundation
import Testing

@testable import ClubStore

@Suite struct WebDAVAddressTests {
    private func address(_ text: String) throws -> WebDAVAddress {
        let url = try #require(URL(string: text))
        return try #require(WebDAVAddress(url))
    }

    @Test func namesAreEscapedOnce() throws {
        let address = try address("https://h.example:8443/dav%20folder/")
        #expect(
            try address.url(of: path("/naïve [a]+b&c #1 ? 100%.txt"))
                == "https://h.example:8443/dav%20folder/"
                + "na%C3%AFve%20%5Ba%5D%2Bb%26c%20%231%20%3F%20100%25.txt")
        #expect(address.url(of: .root) == "https://h.example:8443/dav%20folder/")
        #expect(try address.url(of: path("/a"), isFolder: true).hasSuffix("/a/"))
    }

    @Test(arguments: [
        "/dav/na%c3%afve%20%5ba%5d+b&c%20%231%20%3f.txt", "/dav/na%C3%AFve%20[a]%2Bb%26c #1 ?.txt",
        "http://other:81/dav/naïve [a]+b&c #1 ?.txt", "//other/dav/naïve [a]+b&c #1 ?.txt",
        "naïve [a]+b&c #1 ?.txt", "./naïve%20[a]+b&c%20#1 ?.txt",
    ])
    func hrefsOfAnyFormMeanTheSame(_ href: String) throws {
        let address = try address("http://h/dav")
        #expect(
            address.components(ofHref: href, in: .root) == ["dav", "naïve [a]+b&c #1 ?.txt"])
    }

    @Test(arguments: ["/dav/%FF", "/dav/../etc", "/dav/%2e%2e/etc", "/dav/a%2Fb", "/dav/%00"])
    func whatNoPathMayHoldIsNobodysName(_ href: String) throws {
        #expect(try address("http://h/dav").components(ofHref: href, in: .root) == nil)
    }

    @Test func aPercentSignAloneStandsForItself() throws {
        let address = try address("http://h/")
        #expect(address.components(ofHref: "/100%.txt", in: .root) == ["100%.txt"])
        #expect(address.components(ofHref: "/100%zz", in: .root) == ["100%zz"])
        #expect(address.components(ofHref: "/%2541", in: .root) == ["%41"])
    }

    @Test(arguments: ["ftp://h/", "dav", "/dav", "http:///dav", "https://h/a/../b"])
    func noOtherAddressIsTaken(_ text: String) throws {
        let url = try #require(URL(string: text))
        #expect(WebDAVAddress(url) == nil)
    }

    @Test func secretsInAnAddressAreDropped() throws {
        let address = try address("https://ann:secret@h/dav?x=1#y")
        #expect(address.url(of: .root) == "https://h/dav/")
    }

    @Test func thisMachineIsKnown() throws {
        for text in ["http://127.0.0.1:80/", "http://localhost/", "http://[::1]:8080/"] {
            #expect(try address(text).isLoopback)
        }
        for text in ["http://10.0.0.1/", "http://localhost.example/", "https://h/"] {
            #expect(try !address(text).isLoopback)
        }
    }
}

@Suite struct EntityTagTests {
    @Test(arguments: [
        "\"abc\"", "W/\"abc\"", "abc", "\"abc-gzip\"", "W/\"abc-gzip\"", "\"abc--gzip\"",
        " \"abc\" ", "\"abc;gzip\"",
    ])
    func oneStateHasOneRevision(_ field: String) {
        #expect(EntityTag(field)?.revision.rawValue == "\"abc\"")
    }

    @Test func weakOnesAreKnownAsSuch() {
        #expect(EntityTag("W/\"a\"")?.isWeak == true)
        #expect(EntityTag("\"a\"")?.isWeak == false)
    }

    @Test(arguments: ["", "\"\"", "W/", "W/\"\"", "a\"b"])
    func whatIsNoneIsNone(_ field: String) {
        #expect(EntityTag(field) == nil)
    }

    @Test func secondsAreSeenInIt() {
        let date = Date(timeIntervalSince1970: 1_600_000_000)
        #expect(EntityTag("\"4711-1600000000-12\"")?.isCoarse(modified: date) == true)
        #expect(EntityTag("\"5f5e1000-c\"")?.isCoarse(modified: date) == true)
        #expect(EntityTag("\"c-5af3107a40000\"")?.isCoarse(modified: date) == false)
    }

    /// Two texts of one length within a tick of the file system's clock share such a tag.
    @Test(arguments: [
        "4711-1600000000-12", "5f5e1000-c", "8-5af3107a5e240", "1600000000123-8",
        "1600000000123456", "16345785dffbca008", "4711-16345785dffbca00-8",
    ])
    func timeIsSeenInItInAnyUnit(_ tag: String) {
        let date = Date(timeIntervalSince1970: 1_600_000_000)
        #expect(EntityTag("\"\(tag)\"")?.isTimeBased(modified: date) == true)
    }

    @Test(arguments: ["c-5af30", "0123456789abcdef0123456789abcdef", "1599999999-12", "a"])
    func whatHasNoTimeIsNotTakenForOne(_ tag: String) {
        let date = Date(timeIntervalSince1970: 1_600_000_000)
        #expect(EntityTag("\"\(tag)\"")?.isTimeBased(modified: date) == false)
    }
}
