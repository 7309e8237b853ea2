import DropboxAPI
import Foundation
import Testing

@Suite struct UploadSessionTests {
    private func cursor(_ session: String, _ offset: Int) -> UploadSessionCursor {
        UploadSessionCursor(sessionID: session, offset: UInt64(offset))
    }

    @Test func piecesMakeAFile() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "one "
            ).sessionID
            try await club.call(
                Routes.uploadSessionAppend, UploadSessionAppendArg(cursor: cursor(session, 4)),
                body: "two ")
            let file = try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, 8), commit: CommitInfo(path: "/a.txt")), body: "three")
            #expect(club.read("a.txt") == "one two three")
            #expect(file.contentHash == ContentHash(of: Data("one two three".utf8)))
            #expect(club.staged.isEmpty)
        }
    }

    @Test func aCommittedSessionIsClosed() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "text"
            ).sessionID
            let finish = UploadSessionFinishArg(
                cursor: cursor(session, 4), commit: CommitInfo(path: "/a.txt"))
            try await club.call(Routes.uploadSessionFinish, finish)
            // Whatever the offset: this is looked at first.
            for offset in [0, 4, 9] {
                let error = try await club.failure(
                    Routes.uploadSessionAppend,
                    UploadSessionAppendArg(cursor: cursor(session, offset)), body: "more")
                #expect(error == .closed)
            }
            let again = try await club.failure(Routes.uploadSessionFinish, finish)
            #expect(again == .lookupFailed(.closed))
            #expect(club.read("a.txt") == "text")
            let unknown = try await club.failure(
                Routes.uploadSessionAppend, UploadSessionAppendArg(cursor: cursor("none", 0)))
            #expect(unknown == .notFound)
        }
    }

    @Test func aWrongOffsetIsAnsweredWithTheRightOne() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "12345"
            ).sessionID
            let append = try await club.failure(
                Routes.uploadSessionAppend, UploadSessionAppendArg(cursor: cursor(session, 3)),
                body: "x")
            #expect(append == .incorrectOffset(correctOffset: 5))
            let finish = try await club.failure(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, 9), commit: CommitInfo(path: "/a.txt")))
            #expect(finish == .lookupFailed(.incorrectOffset(correctOffset: 5)))
        }
    }

    @Test func aClosedSessionCanOnlyBeFinished() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(close: true), body: "abc"
            ).sessionID
            let error = try await club.failure(
                Routes.uploadSessionAppend, UploadSessionAppendArg(cursor: cursor(session, 3)))
            #expect(error == .closed)
            try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, 3), commit: CommitInfo(path: "/a.txt")))
            #expect(club.read("a.txt") == "abc")
        }
    }

    @Test func aPieceWithAWrongHashIsForgotten() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "abc"
            ).sessionID
            let error = try await club.failure(
                Routes.uploadSessionAppend,
                UploadSessionAppendArg(
                    cursor: cursor(session, 3), contentHash: ContentHash(of: Data())), body: "xyz")
            #expect(error == .contentHashMismatch)
            let file = try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, 3), commit: CommitInfo(path: "/a.txt"),
                    contentHash: ContentHash(of: Data("def".utf8))), body: "def")
            #expect(club.read("a.txt") == "abcdef")
            #expect(file.contentHash == ContentHash(of: Data("abcdef".utf8)))
        }
    }

    @Test func aRefusedCommitKeepsTheBytesForAnotherName() async throws {
        try await TestClub.with(["a.txt": "old"]) { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "new"
            ).sessionID
            let error = try await club.failure(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, 3), commit: CommitInfo(path: "/a.txt")), body: "er")
            #expect(error == .path(.conflict(.file)))
            // "Data has already been appended": the offset has moved on.
            try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, 5), commit: CommitInfo(path: "/b.txt")))
            #expect(club.read("b.txt") == "newer")
        }
    }

    @Test func aPieceCutOffByItsClientIsForgotten() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "abc"
            ).sessionID
            let argument = UploadSessionAppendArg(cursor: cursor(session, 3))
            let header = try WireJSON.encodeForHeader(argument)
            try await TestConnection.run {
                let connection = try club.connect()
                try connection.request(
                    "POST", Routes.uploadSessionAppend.path,
                    [
                        ("Authorization", "Bearer \(club.token)"), ("Dropbox-API-Arg", header),
                        ("Content-Type", "application/octet-stream"), ("Content-Length", "100000"),
                    ], Array(repeating: 0x61, count: 50_000))
                connection.close()
            }
            // Busy until the server has noticed; then it goes on where it was.
            while true {
                let reply = try await club.send(
                    Routes.uploadSessionAppend, argument, body: Array("def".utf8))
                if reply.status == 200 { break }
                #expect(reply.status == 429)
                #expect(reply.headers["retry-after"] == "1")
            }
            try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, 6), commit: CommitInfo(path: "/a.txt")))
            #expect(club.read("a.txt") == "abcdef")
        }
    }

    /// Over a slow line a piece takes minutes that nobody wants.
    @Test(arguments: [2, 0]) func aRefusedPieceIsAnsweredByItsHead(offset: Int) async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(), body: "abc"
            ).sessionID
            let header = try WireJSON.encodeForHeader(
                UploadSessionAppendArg(cursor: cursor(session, offset)))
            try await TestConnection.run {
                let connection = try club.connect()
                try connection.request(
                    "POST", Routes.uploadSessionAppend.path,
                    [
                        ("Authorization", "Bearer \(club.token)"), ("Dropbox-API-Arg", header),
                        ("Content-Type", "application/octet-stream"), ("Content-Length", "100000"),
                    ], Array(repeating: 0x61, count: 5000))
                let reply = try connection.readReply()
                #expect(reply.status == 409)
                #expect(reply.text.contains("correct_offset"))
                // Who sends the rest all the same may go on.
                try connection.send(Array(repeating: 0x61, count: 95_000))
                try connection.request(
                    "POST", Routes.getCurrentAccount.path,
                    [("Authorization", "Bearer \(club.token)")], [])
                #expect(try connection.readReply().status == 200)
            }
            try await club.call(
                Routes.uploadSessionAppend,
                UploadSessionAppendArg(cursor: cursor(session, 3)), body: "def")
        }
    }

    @Test func aSessionOutlivesTheServer() async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        try FileManager.default.createDirectory(
            atPath: home + "/club", withIntermediateDirectories: true)
        let first = try await TestClub(home: home)
        let session = try await first.call(
            Routes.uploadSessionStart, UploadSessionStartArg(), body: "before "
        ).sessionID
        await first.stop()
        let second = try await TestClub(home: home)
        let file = try await second.call(
            Routes.uploadSessionFinish,
            UploadSessionFinishArg(
                cursor: cursor(session, 7), commit: CommitInfo(path: "/a.txt")), body: "after")
        #expect(second.read("a.txt") == "before after")
        #expect(file.contentHash == ContentHash(of: Data("before after".utf8)))
        await second.stop()
    }

    @Test func concurrentPiecesArriveInAnyOrder() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let unit = 4 << 20
            let bytes = (0..<(2 * unit + 100)).map { UInt8(truncatingIfNeeded: $0 / 3) }
            let session = try await club.call(
                Routes.uploadSessionStart, UploadSessionStartArg(kind: .concurrent)
            ).sessionID
            let misplaced = try await club.failure(
                Routes.uploadSessionAppend, UploadSessionAppendArg(cursor: cursor(session, 5)))
            #expect(misplaced == .concurrentSessionInvalidOffset)
            try await club.call(
                Routes.uploadSessionAppend,
                UploadSessionAppendArg(cursor: cursor(session, 2 * unit), close: true),
                bytes: Array(bytes[(2 * unit)...]))
            let early = try await club.failure(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, bytes.count), commit: CommitInfo(path: "/a.bin")))
            #expect(early == .concurrentSessionMissingData)
            for offset in [unit, 0] {
                try await club.call(
                    Routes.uploadSessionAppend,
                    UploadSessionAppendArg(cursor: cursor(session, offset)),
                    bytes: Array(bytes[offset..<(offset + unit)]))
            }
            let file = try await club.call(
                Routes.uploadSessionFinish,
                UploadSessionFinishArg(
                    cursor: cursor(session, bytes.count), commit: CommitInfo(path: "/a.bin")))
            #expect(file.contentHash == ContentHash(of: Data(bytes)))
            #expect(file.size == UInt64(bytes.count))
        }
    }
}
