import Foundation
import Glibc
import Synchronization
import Testing

@testable import CurlNetworking

@Suite struct HTTPCookieStorageTests {
    private let url = URL(string: "https://swift.org")

    private func makeCookie(
        _ name: String, domain: String = "swift.org", expiresIn seconds: Double? = nil
    ) throws -> HTTPCookie {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: "v", .path: "/", .domain: domain,
        ]
        properties[.expires] = seconds.map { Date(timeIntervalSinceNow: $0) }
        return try #require(HTTPCookie(properties: properties))
    }

    @Test func setsReplacesAndDeletes() throws {
        let storage = HTTPCookieStorage()
        storage.setCookie(try makeCookie("a", expiresIn: -10))
        #expect(storage.cookies == [])
        storage.setCookie(try makeCookie("a"))
        storage.setCookie(try makeCookie("a", expiresIn: 100))
        #expect(storage.cookies?.map(\.isSessionOnly) == [false])
        storage.setCookie(try makeCookie("a", domain: "example.com"))
        #expect(storage.description == "<NSHTTPCookieStorage cookies count:2>")
        storage.deleteCookie(try makeCookie("a"))
        #expect(storage.cookies?.map(\.domain) == ["example.com"])
        storage.setCookie(try makeCookie("a", domain: "example.com", expiresIn: -10))
        #expect(storage.cookies == [])
    }

    @Test func removesTheYoungerCookies() throws {
        let storage = HTTPCookieStorage()
        storage.setCookie(try makeCookie("a"))
        storage.removeCookies(since: Date(timeIntervalSinceNow: 100))
        #expect(storage.cookies?.count == 1)
        storage.removeCookies(since: Date(timeIntervalSinceNow: -100))
        #expect(storage.cookies == [])
    }

    @Test func takesFromAnAnswerOnlyItsOwn() throws {
        let storage = HTTPCookieStorage()
        storage.setCookies(
            [
                try makeCookie("a", domain: "example.com"), try makeCookie("b"),
                try makeCookie("c", domain: ".org"),
            ],
            for: url, mainDocumentURL: nil)
        #expect(storage.cookies?.map(\.name) == ["b"])
        #expect(storage.cookies(for: try #require(url))?.map(\.name) == ["b"])
    }

    @Test func aDotInFrontMeansTheHostsBelow() throws {
        let storage = HTTPCookieStorage()
        let one = try makeCookie("one")
        let all = try makeCookie("all", domain: ".SWIFT.org")
        let bugs = try makeCookie("bugs", domain: "bugs.swift.org")
        for cookie in [one, all, bugs] { storage.setCookie(cookie) }
        let sent = { (url: String) in storage.cookies(for: try #require(URL(string: url))) }
        #expect(try sent("https://swift.ORG") == [one, all])
        #expect(try sent("https://CI.swift.org") == [all])
        #expect(try sent("https://bugs.swift.org") == [all, bugs])
        #expect(try sent("https://superswift.org") == [])
    }

    @Test func thePolicyDecidesWhoseCookiesAreTaken() throws {
        let storage = HTTPCookieStorage()
        let page = URL(string: "https://ci.swift.org/")
        let foreign = URL(string: "https://example.com/")
        #expect(storage.cookieAcceptPolicy == .onlyFromMainDocumentDomain)
        storage.setCookies([try makeCookie("a")], for: url, mainDocumentURL: foreign)
        #expect(storage.cookies == [])
        storage.setCookies([try makeCookie("a")], for: url, mainDocumentURL: page)
        #expect(storage.cookies?.count == 1)
        storage.cookieAcceptPolicy = .always
        storage.setCookies([try makeCookie("b")], for: url, mainDocumentURL: foreign)
        #expect(storage.cookies?.count == 2)
        storage.cookieAcceptPolicy = .never
        storage.setCookie(try makeCookie("c"))
        storage.setCookies([try makeCookie("d")], for: url, mainDocumentURL: nil)
        #expect(storage.cookies?.count == 2)
    }

    @Test func givesTheEngineOneField() throws {
        let storage = HTTPCookieStorage()
        let url = try #require(URL(string: "https://a.example.org/x/y"))
        storage.receive(
            ["a=1, still a", "b=2; path=/x", "nonsense", "c=3; domain=org"], from: url,
            mainDocumentURL: nil)
        #expect(storage.field(for: url, mainDocumentURL: nil) == "a=1, still a; b=2")
        storage.receive(["d=4"], from: url, mainDocumentURL: nil, sessionPolicy: .never)
        let elsewhere = try #require(URL(string: "https://b.example.org/"))
        #expect(storage.field(for: elsewhere, mainDocumentURL: nil) == nil)
        #expect(storage.cookies?.count == 2)
    }
}

@Suite struct CookieFileTests {
    private let folder: ScratchFolder
    private var file: URL { folder.url(of: "below/cookies") }

    init() throws {
        folder = try ScratchFolder()
    }

    private func receive(_ lines: String..., in storage: HTTPCookieStorage) throws {
        let url = try #require(URL(string: "https://a.example.org/"))
        storage.receive(lines, from: url, mainDocumentURL: nil)
    }

    private func names(in storage: HTTPCookieStorage) -> [String]? { storage.cookies?.map(\.name) }

    @Test func keepsAllButSessionCookiesForThisUserAlone() throws {
        let storage = HTTPCookieStorage(fileURL: file)
        try receive(
            "a=1; max-age=60; secure; httponly; samesite=lax", "b=2",
            "c=3; max-age=60; path=/x",
            in: storage)
        storage.flush()
        let status = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(status[.posixPermissions] as? Int == 0o600)
        let again = HTTPCookieStorage(fileURL: file)
        #expect(names(in: again) == ["a", "c"])
        #expect(again.cookies?.first == storage.cookies?.first)
        #expect(
            try FileManager.default.contentsOfDirectory(
                atPath: file.deletingLastPathComponent().path
            )
            .sorted() == ["cookies", "cookies.lock"])
    }

    @Test func keepsTheOrderOfOneAnswer() throws {
        let storage = HTTPCookieStorage(fileURL: file)
        let names = (0..<30).map { "c\($0)" }
        for name in names { try receive("\(name)=1; max-age=60", in: storage) }
        storage.flush()
        #expect(self.names(in: HTTPCookieStorage(fileURL: file)) == names)
    }

    @Test func twoWritersLoseNothingOfEachOther() throws {
        let one = HTTPCookieStorage(fileURL: file)
        let two = HTTPCookieStorage(fileURL: file)
        #expect(one.cookies == [] && two.cookies == [])
        try receive("a=1; max-age=60", "gone=1; max-age=60", in: one)
        one.flush()
        try receive("b=2; max-age=60", "session=1", in: two)
        two.flush()
        // Whose file was read first may decide the order of what is equally old.
        #expect(Set(names(in: two) ?? []) == ["b", "session", "a", "gone"])
        try receive("gone=1; max-age=0", in: two)
        try receive("c=3; max-age=60", in: one)
        one.flush()
        two.flush()
        #expect(Set(names(in: HTTPCookieStorage(fileURL: file)) ?? []) == ["a", "b", "c"])
        one.jar.lookAtFile()
        #expect(Set(names(in: one) ?? []) == ["a", "b", "c"])
    }

    @Test func whoeverFlushesWaitsForAWriteUnderWay() async throws {
        let storage = HTTPCookieStorage(fileURL: file)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        // Locked before there is anything to write: the automatic write may follow soon.
        let lock = open(file.path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(flock(lock, LOCK_EX) == 0)
        try receive("a=1; max-age=60", in: storage)
        let done = Signal()
        for _ in 0..<2 {
            Thread.detachNewThread {
                storage.flush()
                done.add()
            }
        }
        // Time enough for either to come back too early.
        let aside = HTTPCookieStorage(fileURL: folder.url(of: "aside"))
        for number in 0..<30 {
            try receive("a=\(number); max-age=60", in: aside)
            aside.flush()
        }
        #expect(done.count == 0)
        close(lock)
        await done.wait(for: 2)
        #expect(names(in: HTTPCookieStorage(fileURL: file)) == ["a"])
    }

    @Test func writesWhatItsProgramHasLetGoOf() throws {
        weak var jar: KeptCookieJar?
        do {
            let storage = HTTPCookieStorage(fileURL: file)
            try receive("a=1; max-age=60", in: storage)
            jar = storage.jar
        }
        // Held by the write that is ahead, or gone because it is done.
        jar?.flush()
        #expect(names(in: HTTPCookieStorage(fileURL: file)) == ["a"])
    }

    @Test func aSessionCookieThatReplacesAKeptOneTakesItOutOfTheFile() throws {
        let storage = HTTPCookieStorage(fileURL: file)
        try receive("a=1; max-age=60", in: storage)
        storage.flush()
        try receive("a=2", in: storage)
        storage.flush()
        #expect(names(in: storage) == ["a"])
        #expect(names(in: HTTPCookieStorage(fileURL: file)) == [])
    }

    @Test(arguments: [0, 10, 40, 60, 75, 120, 200])
    func setsADamagedFileAsideAndBeginsAnew(flipped: Int) throws {
        let storage = HTTPCookieStorage(fileURL: file)
        try receive("a=1; max-age=60", in: storage)
        storage.flush()
        var bytes = try Data(contentsOf: file)
        bytes[flipped] ^= 1
        try bytes.write(to: file)
        let again = HTTPCookieStorage(fileURL: file)
        #expect(names(in: again) == [])
        try receive("b=1; max-age=60", in: again)
        again.flush()
        #expect(names(in: HTTPCookieStorage(fileURL: file)) == ["b"])
        #expect(try Data(contentsOf: URL(filePath: file.path + ".damaged")) == bytes)
    }

    @Test func trustsNoFileThatWasCutOffOrIsNone() throws {
        let whole = CookieFile.encode([])
        #expect(throws: Never.self) { try CookieFile.decode(whole) }
        for count in whole.indices {
            #expect(throws: CookieFile.CorruptionError.self) {
                try CookieFile.decode(whole[..<count])
            }
        }
    }

    @Test func refusesCookiesInTheFileThatCannotBe() throws {
        var cookie = Cookie(
            name: "a", value: "b", domain: "example.org", isHostOnly: true, path: "/",
            created: Date(timeIntervalSince1970: 0))
        cookie.expires = .distantFuture
        let good = cookie
        cookie.value = "b\r\nX: y"
        let forged = cookie
        cookie.value = "b"
        cookie.domain = "Example.org"
        let decoded = try CookieFile.decode(CookieFile.encode([forged, good, cookie]))
        #expect(decoded.map(\.value) == ["b"])
        #expect(decoded.map(\.domain) == ["example.org"])
    }

    @Test func worksOnInMemoryWhereNoFileCanBe() throws {
        let storage = HTTPCookieStorage(fileURL: URL(filePath: "/proc/nowhere/cookies"))
        try receive("a=1; max-age=60", in: storage)
        storage.flush()
        #expect(names(in: storage) == ["a"])
    }
}
