import Foundation
import Testing

@testable import CurlNetworking

@Suite struct ResumeDataTests {
    @Test func comesBackFromItsBlob() throws {
        let data = try makeData()
        #expect(try ResumeData(blob: data.blob) == data)
        var dated = data
        dated.validator = .lastModified("Sat, 21 Nov 2026 20:00:00 GMT")
        dated.totalByteCount = nil
        #expect(try ResumeData(blob: dated.blob) == dated)
        var marked = data
        marked.checksum = .max
        #expect(try ResumeData(blob: marked.blob) == marked)
    }

    @Test func holdsNoSecrets() throws {
        var headers = HTTPHeaderFields()
        for name in [
            "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Auth-Token",
            "X-Session-ID", "Range", "If-Range",
        ] {
            headers[name] = "geheim"
        }
        headers["Accept"] = "image/jpeg"
        let url = try #require(URL(string: "https://user:geheim@a.test:8443/x?q=1#f"))
        let data = try makeData(url: url, headers: headers)
        #expect(data.url.absoluteString == "https://a.test:8443/x?q=1#f")
        #expect(data.headers.dictionary == ["Accept": "image/jpeg"])
        #expect(try data.blob.range(of: Data("geheim".utf8)) == nil)
    }

    @Test(
        arguments: [
            ("http://a.test/", "http://a.test/"), ("http://u@a.test/", "http://a.test/"),
            ("http://u:p@a.test", "http://a.test"), ("http://a.test/u@x", "http://a.test/u@x"),
            ("http://u:p@a.test/?x=y@z", "http://a.test/?x=y@z"),
            ("http://u:p@[::1]:80/", "http://[::1]:80/"),
        ])
    func takesCredentialsOutOfURLs(text: String, expected: String) throws {
        #expect(try #require(URL(string: text)).withoutCredentials.absoluteString == expected)
    }

    @Test(arguments: ["", "junk", "CNet", "bplist00", "<?xml version=\"1.0\"?>"])
    func refusesWhatIsNotItsOwn(text: String) {
        expectRefusal { try ResumeData(blob: Data(text.utf8)) }
    }

    @Test func refusesADamagedBlob() throws {
        let blob = try makeData().blob
        for index in blob.indices {
            var changed = blob
            changed[index] ^= 0x10
            expectRefusal { try ResumeData(blob: changed) }
            expectRefusal { try ResumeData(blob: blob.prefix(index)) }
        }
        expectRefusal { try ResumeData(blob: Data(count: ResumeData.largestByteCount + 1)) }
        expectRefusal { try UploadResumeData(blob: blob) }
    }

    /// With a right checksum: what a stranger could write.
    @Test(
        arguments: [
            ("fileName", "../../etc/passwd"), ("fileName", "/etc/passwd"), ("fileName", ""),
            ("fileName", "part-0123"), ("fileName", "part-" + String(repeating: "Z", count: 32)),
            ("fileName", "part-" + String(repeating: "0", count: 32) + "/../../x"),
            ("fileName", "part-" + String(repeating: "0", count: 31) + "\u{0}"),
            ("url", "file:///etc/passwd"), ("url", ""), ("originalURL", "ftp://a.test/"),
            ("entityTag", "W/\"weak\""), ("entityTag", "bare"), ("entityTag", "\"a\r\nX: y\""),
            ("byteCount", -1), ("totalByteCount", 10), ("fields", [["name": "", "value": "x"]]),
            ("fields", [["name": "A", "value": "x\r\nB: y"]]), ("fields", "none"),
            ("lastModified", "two validators"), ("checksum", ""), ("checksum", "no number"),
        ] as [(String, any Sendable)])
    func refusesAForgedBlob(key: String, value: any Sendable) throws {
        let payload = try ChecksummedRecord.open(makeData().blob, as: .download)
        var record = try #require(
            try JSONSerialization.jsonObject(with: payload) as? [String: Any])
        record[key] = value
        let forged = try ChecksummedRecord.seal(
            JSONSerialization.data(withJSONObject: record), as: .download)
        expectRefusal { try ResumeData(blob: forged) }
    }

    @Test func theUploadsBlobComesBackToo() throws {
        let data = UploadResumeData(
            location: try #require(URL(string: "https://a.test/up/1")), byteCount: 99)
        #expect(try UploadResumeData(blob: data.blob) == data)
        let blob = try data.blob
        for index in blob.indices {
            expectRefusal { try UploadResumeData(blob: blob.prefix(index)) }
        }
        expectRefusal { try ResumeData(blob: blob) }
    }

    private func expectRefusal<T>(_ read: () throws -> T) {
        #expect {
            _ = try read()
        } throws: { error in
            let error = error as? URLError
            return error?.code == .cannotDecodeRawData && error?.underlyingText?.isEmpty == false
        }
    }

    private func makeData(url: URL? = nil, headers: HTTPHeaderFields = .init(["Accept": "*/*"]))
        throws
        -> ResumeData
    {
        let standard = try #require(URL(string: "https://a.test/big?x=1"))
        return ResumeData(
            url: url ?? standard, originalURL: standard, headers: headers,
            validator: .entityTag("\"v1\""), byteCount: 500, totalByteCount: 1000,
            fileName: "part-0123456789abcdef0123456789abcdef")
    }
}

@Suite struct PartialFilesTests {
    @Test func makesFindsAndHolds() throws {
        let scratch = try ScratchFolder()
        let parts = try PartialFiles(path: scratch.path(of: "parts"))
        let made = try parts.make()
        #expect(PartialFiles.isName(made.name))
        #expect(write(made.descriptor, "12345", 5) == 5)
        #expect(throws: URLError(.cannotOpenFile)) { try parts.open(made.name) }
        // The descriptor of a child that was forked and has not executed a program yet.
        let inherited = dup(made.descriptor)
        LockedFile.close(made.descriptor)
        let found = try #require(try parts.open(made.name))
        #expect(found.byteCount == 5)
        LockedFile.close(found.descriptor)
        close(inherited)
        #expect(try parts.open(PartialFiles.makeName()) == nil)
    }

    @Test func opensNothingButItsOwn() throws {
        let scratch = try ScratchFolder()
        let parts = try PartialFiles(path: scratch.path(of: "parts"))
        try scratch.put(Data("theirs".utf8), "theirs")
        try scratch.put(Data("of one name".utf8), "alone")
        let link = PartialFiles.makeName()
        try scratch.link("parts/" + link, to: scratch.path(of: "alone"))
        let hard = PartialFiles.makeName()
        try FileManager.default.linkItem(
            atPath: scratch.path(of: "theirs"), toPath: scratch.path(of: "parts/" + hard))
        for name in [link, hard, "../theirs", "theirs", "/etc/passwd", ".", ""] {
            #expect(throws: URLError(.cannotOpenFile)) { try parts.open(name) }
        }
        #expect(scratch.get("theirs") == Data("theirs".utf8))
    }

    @Test func sweepsWhatIsOldAndLoose() throws {
        let scratch = try ScratchFolder()
        let parts = try PartialFiles(path: scratch.path(of: "parts"))
        let loose = try parts.make()
        LockedFile.close(loose.descriptor)
        let held = try parts.make()
        try scratch.put(Data(), "parts/somebody-elses")
        let now = Int64(Date().timeIntervalSince1970)
        try parts.removeOld(now: now)
        #expect(try parts.folder.names().count == 3)
        try parts.removeOld(now: now + 15 * 24 * 3600)
        #expect(try parts.folder.names() == [held.name, "somebody-elses"])
        close(held.descriptor)
    }

    @Test func livesWithTheOtherCaches() {
        #expect(
            PartialFiles.standardPath(environment: ["XDG_CACHE_HOME": "/c", "HOME": "/h"])
                == "/c/CurlNetworking/Downloads")
        #expect(
            PartialFiles.standardPath(environment: ["XDG_CACHE_HOME": "relative", "HOME": "/h"])
                == "/h/.cache/CurlNetworking/Downloads")
        #expect(PartialFiles.standardPath(environment: [:]).hasPrefix("/tmp/CurlNetworking-"))
    }
}
