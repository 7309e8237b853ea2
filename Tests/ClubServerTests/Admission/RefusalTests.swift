@testable import ClubServer
import DropboxAPI
import Foundation
import Testing

/// Refused first, answered at once, never read; slow ones end; a full house says so.
@Suite struct RefusalTests {
    private static let endpoints: [ClubServer.Endpoint?] = [nil, .tcp(port: 0)]

    private func head(
        _ club: TestClub, _ path: String = "/2/files/upload", token: String? = nil,
        length: String = "Content-Length: 1000000", method: String = "POST",
        type: String = "application/octet-stream", host: String = "localhost"
    ) -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\n"
            + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "")
            + "Content-Type: \(type)\r\n\(length)\r\n\r\n"
    }

    /// The answer to a head whose body never comes, and whether the connection ends with it.
    private func answer(_ club: TestClub, to head: String) async throws -> TestReply {
        try await TestConnection.run {
            let connection = try club.connect()
            try connection.send(head)
            let reply = try connection.readReply()
            #expect(try connection.readsEnd())
            return reply
        }
    }

    @Test(arguments: endpoints)
    func whatIsRefusedIsNeverRead(endpoint: ClubServer.Endpoint?) async throws {
        try await TestClub.with(endpoint: endpoint) { (club: TestClub) async throws in
            // No token, a wrong one, no route, a wrong method or type, too long: none waits for a body.
            for (head, status) in [
                (head(club), 400), (head(club, token: "wrong"), 401),
                (head(club, "/nowhere", token: club.token), 404),
                (head(club, "/2/files/nonsense", token: club.token), 400),
                (head(club, token: club.token, method: "PUT"), 405),
                (head(club, token: club.token, type: "text/html"), 400),
                (head(club, length: "Transfer-Encoding: chunked"), 400),
                (
                    head(
                        club, "/2/files/list_folder", token: club.token,
                        length: "Content-Length: 1048577", type: "application/json"), 413
                ),
                (
                    head(
                        club, "/2/files/list_folder/longpoll", length: "Content-Length: 65537",
                        type: "application/json"), 413
                ),
            ] {
                let reply = try await answer(club, to: head)
                #expect(reply.status == status, "\(head)")
                #expect(reply.headers["connection"] == "close")
            }
            if endpoint != nil {
                let head = head(club, token: club.token, host: "evil.example")
                #expect(try await answer(club, to: head).status == 421)
            }
            #expect(club.staged.isEmpty)
        }
    }

    @Test func whoHasShownTheTokenGoesOnAfterARefusal() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let statuses = try await TestConnection.run {
                let connection = try club.connect()
                let headers = [
                    ("Authorization", "Bearer \(club.token)"), ("Content-Type", "application/json"),
                ]
                let body = Array("{\"query\":\"a\"}".utf8)
                return try [Routes.checkUser.path, "/2/files/nonsense", Routes.checkUser.path].map {
                    try connection.request("POST", $0, headers, body)
                    return try connection.readReply().status
                }
            }
            #expect(statuses == [200, 400, 200])
        }
    }

    private static func limited(
        _ change: (inout ConnectionLimits) -> Void
    ) -> (inout ClubServer.Configuration) -> Void {
        var limits = ConnectionLimits()
        limits.sweepInterval = .milliseconds(5)
        change(&limits)
        return { [limits] in $0.limits = limits }
    }

    @Test(arguments: endpoints)
    func aHeadThatNeverEndsIsToldSo(endpoint: ClubServer.Endpoint?) async throws {
        let limited = Self.limited { $0.headTimeout = .milliseconds(50) }
        try await TestClub.with(endpoint: endpoint, change: limited) {
            (club: TestClub) async throws in
            let reply = try await answer(club, to: "POST /2/files/list_folder HTTP/1.1\r\nHo")
            #expect(reply.status == 408)
            // Who says nothing at all is told nothing.
            let ends = try await TestConnection.run { try club.connect().readsEnd() }
            #expect(ends)
        }
    }

    @Test(arguments: ["Content-Length: 100000", "Transfer-Encoding: chunked"])
    func aBodyThatNeverComesIsToldSoAndLeavesNothing(length: String) async throws {
        let limited = Self.limited { $0.bodyInterval = .milliseconds(50) }
        try await TestClub.with(change: limited) { (club: TestClub) async throws in
            let argument = try WireJSON.encodeForHeader(
                UploadArg(commit: CommitInfo(path: "/a.txt")))
            let head = head(
                club, token: club.token, length: "Dropbox-API-Arg: \(argument)\r\n" + length)
            #expect(try await answer(club, to: head).status == 408)
            #expect(club.staged.isEmpty)
            #expect(!club.exists("a.txt"))
        }
    }

    @Test(arguments: endpoints)
    func whoIsCrowdedOutIsToldSo(endpoint: ClubServer.Endpoint?) async throws {
        let limited = Self.limited { limits in
            limits.anonymous = 2
            limits.anonymousPerPeer = 2
        }
        try await TestClub.with(endpoint: endpoint, change: limited) {
            (club: TestClub) async throws in
            let reply = try await TestConnection.run {
                let first = try club.connect()
                try first.send("POST /2/files/list_folder HT")
                let others = try (0..<2).map { _ in try club.connect() }
                defer { for other in others { other.close() } }
                return try first.readReply()
            }
            #expect(reply.status == 503)
            #expect(reply.headers["retry-after"] == "1")
            #expect(reply.headers["connection"] == "close")
        }
    }

    @Test func aFullHouseSaysSoAndGoesOn() async throws {
        let limited = Self.limited { $0.requests = 1 }
        try await TestClub.with(change: limited) { (club: TestClub) async throws in
            let argument = try WireJSON.encodeForHeader(
                UploadArg(commit: CommitInfo(path: "/a.txt")))
            let head = head(
                club, token: club.token,
                length: "Dropbox-API-Arg: \(argument)\r\nExpect: 100-continue\r\nContent-Length: 5")
            let (busy, first) = try await TestConnection.run {
                let connection = try club.connect()
                try connection.send(head)
                // It is under way: it was asked for its body.
                #expect(try connection.readReply().status == 100)
                let other = try club.connect()
                try other.send(
                    self.head(
                        club, "/2/files/list_folder", token: club.token,
                        length: "Content-Length: 11", type: "application/json"))
                let busy = try other.readReply()
                try connection.send("Hello")
                return (busy, try connection.readReply())
            }
            #expect(busy.status == 503)
            #expect(busy.headers["retry-after"] == "1")
            #expect(first.status == 200)
            #expect(club.read("a.txt") == "Hello")
            // An answer may be read a moment before its place is free.
            var count: Int?
            while count == nil {
                do {
                    count = try await club.list().entries.count
                } catch let refused as CallRefused where refused.status == 503 {
                    continue
                }
            }
            #expect(count == 1)
        }
    }

    @Test func longPollsLeaveRoomForRequestsAndEachOther() async throws {
        let limited = Self.limited { limits in
            // All four at once are requests before they wait.
            limits.requests = 5
            limits.longPolls = 3
        }
        try await TestClub.with(change: limited) { (club: TestClub) async throws in
            let cursor = try await club.list().cursor
            let body = try WireJSON.encode(ListFolderLongpollArg(cursor: cursor, timeout: 480))
            // As many as may wait and one more: that one is told to come again.
            let replies = AsyncStream<Int> { continuation in
                for _ in 0..<4 {
                    Task {
                        let reply = try? await club.send(
                            path: Routes.longpoll.path,
                            headers: [("Content-Type", "application/json")], body: Array(body))
                        continuation.yield(reply?.status ?? 0)
                    }
                }
            }
            var statuses = replies.makeAsyncIterator()
            #expect(await statuses.next() == 503)
            // Three wait, and a request is answered.
            try await club.upload("text", to: "/a.txt")
            for _ in 0..<3 { #expect(await statuses.next() == 200) }
        }
    }

    @Test(arguments: [false, true])
    func stoppingLetsARequestFinish(byCancelling: Bool) async throws {
        let limited = Self.limited { $0.stopTimeout = .seconds(60) }
        try await TestClub.with(change: limited) { (club: TestClub) async throws in
            let argument = try WireJSON.encodeForHeader(
                UploadArg(commit: CommitInfo(path: "/a.txt")))
            let head = head(
                club, token: club.token,
                length: "Dropbox-API-Arg: \(argument)\r\nExpect: 100-continue\r\nContent-Length: 5")
            let connection = try club.connect()
            let idle = try club.connect()
            try await TestConnection.run {
                try connection.send(head)
                #expect(try connection.readReply().status == 100)
            }
            async let error = byCancelling ? club.cancel() : club.stop()
            let reply = try await TestConnection.run {
                // The door closes before the request is waited for.
                #expect(try idle.readsEnd())
                #expect(throws: TestConnection.Closed.self) { try club.connect() }
                try connection.send("Hello")
                let reply = try connection.readReply()
                #expect(try connection.readsEnd())
                return reply
            }
            #expect(reply.status == 200)
            #expect(reply.headers["connection"] == "close")
            #expect(await error == nil)
            #expect(club.read("a.txt") == "Hello")
        }
    }

    @Test func stoppingWaitsNoLongerThanItsGrace() async throws {
        let limited = Self.limited { $0.stopTimeout = .milliseconds(20) }
        try await TestClub.with(change: limited) { (club: TestClub) async throws in
            let argument = try WireJSON.encodeForHeader(
                UploadArg(commit: CommitInfo(path: "/a.txt")))
            let head = head(
                club, token: club.token,
                length: "Dropbox-API-Arg: \(argument)\r\nExpect: 100-continue\r\nContent-Length: 5")
            let connection = try club.connect()
            try await TestConnection.run {
                try connection.send(head)
                #expect(try connection.readReply().status == 100)
            }
            #expect(await club.stop() == nil)
            #expect(try connection.readsEnd())
            #expect(!club.exists("a.txt"))
        }
    }
}
