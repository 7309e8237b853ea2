import DropboxAPI
import Foundation
import Testing

@Suite struct DownloadTests {
    private func get(
        _ club: TestClub, _ path: String, _ headers: [(String, String)] = []
    ) async throws -> TestReply {
        try await club.send(Routes.download, DownloadArg(path: path), headers: headers)
    }

    @Test func bytesComeWithTheirMetadata() async throws {
        try await TestClub.with(["Ünote ☃.txt": "Hello, Felix"]) { (club: TestClub) async throws in
            let reply = try await get(club, "/ünote ☃.txt")
            #expect(reply.status == 200)
            #expect(reply.text == "Hello, Felix")
            #expect(reply.headers["content-type"] == "application/octet-stream")
            #expect(reply.headers["content-length"] == "12")
            let header = try #require(reply.headers["dropbox-api-result"])
            #expect(header.utf8.allSatisfy { $0 < 0x7F })
            let metadata: FileMetadata = try WireJSON.decode(from: Data(header.utf8))
            #expect(metadata.name == "Ünote ☃.txt")
            #expect(reply.headers["etag"] == "\"\(metadata.revision)\"")
            #expect(metadata.contentHash == ContentHash(of: reply.body))
        }
    }

    @Test(arguments: [
        ("bytes=0-4", 206, "Hello", "bytes 0-4/12"), ("bytes=7-", 206, "Felix", "bytes 7-11/12"),
        ("bytes=-5", 206, "Felix", "bytes 7-11/12"),
        ("bytes=5-99", 206, ", Felix", "bytes 5-11/12"),
        ("bytes=-99", 206, "Hello, Felix", "bytes 0-11/12"),
        ("bytes=12-", 416, "", "bytes */12"), ("bytes=-0", 416, "", "bytes */12"),
        ("bytes=4-2", 200, "Hello, Felix", nil), ("bytes=0-1,3-4", 200, "Hello, Felix", nil),
        ("lines=1-2", 200, "Hello, Felix", nil), ("bytes=x-y", 200, "Hello, Felix", nil),
        ("bytes=99999999999999999999-", 200, "Hello, Felix", nil),
    ])
    func ranges(range: String, status: Int, text: String, contentRange: String?) async throws {
        try await TestClub.with(["a.txt": "Hello, Felix"]) { (club: TestClub) async throws in
            let reply = try await get(club, "/a.txt", [("Range", range)])
            #expect(reply.status == status)
            #expect(reply.text == text)
            #expect(reply.headers["content-range"] == contentRange)
        }
    }

    @Test func aRangeOfAnotherRevisionIsAnsweredWithTheWhole() async throws {
        try await TestClub.with(["a.txt": "Hello, Felix"]) { (club: TestClub) async throws in
            let tag = try #require(try await get(club, "/a.txt").headers["etag"])
            let same = try await get(club, "/a.txt", [("Range", "bytes=7-"), ("If-Range", tag)])
            #expect(same.status == 206)
            try await club.upload("Another text", to: "/a.txt", mode: .overwrite)
            let other = try await get(club, "/a.txt", [("Range", "bytes=7-"), ("If-Range", tag)])
            #expect(other.status == 200)
            #expect(other.text == "Another text")
        }
    }

    @Test func aKnownRevisionIsNotSentAgain() async throws {
        try await TestClub.with(["a.txt": "Hello"]) { (club: TestClub) async throws in
            let tag = try #require(try await get(club, "/a.txt").headers["etag"])
            let reply = try await get(club, "/a.txt", [("If-None-Match", "\"x\", \(tag)")])
            #expect(reply.status == 304)
            #expect(reply.body.isEmpty)
            #expect(try await get(club, "/a.txt", [("If-None-Match", "\"x\"")]).status == 200)
        }
    }

    @Test func aFileCanBeNamedByItsIdentifierOrRevision() async throws {
        try await TestClub.with(["a.txt": "Hello"]) { (club: TestClub) async throws in
            let file = try #require(try await club.metadata("/a.txt").file)
            #expect(try await club.download(file.id) == "Hello")
            #expect(try await club.download("rev:" + file.revision) == "Hello")
            #expect(try await club.download("ns:1/a.txt") == "Hello")
            try await club.upload("New", to: "/a.txt", mode: .overwrite)
            #expect(try await club.download("rev:" + file.revision) == "Hello")
            #expect(
                try await club.download(file.id) == "New", "an identifier means what is there now")
        }
    }

    @Test func foldersAndNothingAreNoFiles() async throws {
        try await TestClub.with(["f/a.txt": "1"]) { (club: TestClub) async throws in
            #expect(
                try await club.failure(Routes.download, DownloadArg(path: "/f")) == .path(.notFile))
            #expect(
                try await club.failure(Routes.download, DownloadArg(path: "/g")) == .path(.notFound)
            )
        }
    }

    @Test func aDownloadByGETWithTheArgumentInTheURLWorks() async throws {
        try await TestClub.with(["a b.txt": "Hello"]) { (club: TestClub) async throws in
            let argument = "%7B%22path%22:%22/a+b.txt%22%7D"
            let reply = try await club.send(
                method: "GET", path: "/2/files/download?arg=\(argument)",
                headers: [("Authorization", "Bearer \(club.token)")])
            #expect(reply.status == 200)
            #expect(reply.text == "Hello")
            let head = try await club.send(
                method: "HEAD", path: "/2/files/download?arg=\(argument)",
                headers: [("Authorization", "Bearer \(club.token)")])
            #expect(head.headers["content-length"] == "5")
        }
    }

    @Test func aLargeFileArrivesWhole() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let bytes = (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/big.bin")), bytes: bytes)
            let reply = try await get(club, "/big.bin")
            #expect(reply.body == bytes)
        }
    }

    @Test func aDownloadUnderWayKeepsTheFileItBegan() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let old = [UInt8](repeating: 0x61, count: 4 << 20)
            try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/a.bin")), bytes: old)
            let argument = try WireJSON.encodeForHeader(DownloadArg(path: "/a.bin"))
            let connection = try club.connect()
            try await TestConnection.run {
                // The answer has begun when the next call is made, and is far from sent.
                try connection.request(
                    "POST", Routes.download.path,
                    [("Authorization", "Bearer \(club.token)"), ("Dropbox-API-Arg", argument)], [])
                try connection.waitForBytes()
            }
            try await club.upload("new", to: "/a.bin", mode: .overwrite)
            let reply = try await TestConnection.run { try connection.readReply() }
            #expect(reply.body == old)
        }
    }
}
