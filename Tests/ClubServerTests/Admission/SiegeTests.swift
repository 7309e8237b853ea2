@testable import ClubServer
import DropboxAPI
import Foundation
import Synchronization
import Testing

/// Hostile connections of six kinds beside honest clients, who all get what they ask for.
@Suite(.serialized) struct SiegeTests {
    /// What a hostile client does with its connection, again and again.
    enum Kind: String, CaseIterable, Sendable {
        case dribbledHead, dribbledBody, unreadAnswers, idle, hugeHeader, pipelinedFlood

        func greeting(_ club: TestClub) -> String {
            switch self {
            case .dribbledHead: "POST /2/files/list_folder HTTP/1.1\r\nHost: localhost\r\nX: "
            case .dribbledBody:
                "POST /2/files/upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
            case .unreadAnswers:
                String(repeating: "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 50)
            case .idle: ""
            case .hugeHeader:
                "POST / HTTP/1.1\r\nX: " + String(repeating: "a", count: 60_000)
            case .pipelinedFlood:
                String(
                    repeating: "POST /2/check/user HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Length: 2\r\n\r\n{}", count: 200)
            }
        }

        var drop: [UInt8] {
            switch self {
            case .idle: []
            case .dribbledHead, .dribbledBody, .hugeHeader: [UInt8(ascii: "a")]
            case .unreadAnswers, .pipelinedFlood: Array("GET /x HTTP/1.1\r\n\r\n".utf8)
            }
        }
    }

    /// Its connections stand, move when they are told to, and come again when they were closed.
    private final class Besieger: Sendable {
        private let club: TestClub
        private let connections: Mutex<[(kind: Kind, connection: TestConnection)]>

        init(_ club: TestClub, _ kinds: [Kind], each count: Int) async throws {
            self.club = club
            let connections = try await TestConnection.run {
                try kinds.flatMap { kind in
                    try (0..<count).map { _ in (kind, try Self.connect(club, kind)) }
                }
            }
            self.connections = Mutex(connections)
        }

        private static func connect(_ club: TestClub, _ kind: Kind) throws -> TestConnection {
            let connection = try club.connect()
            try? connection.push(Array(kind.greeting(club).utf8))
            return connection
        }

        /// All of them at once, before each step of an honest client: how many there are of the ones beside
        /// the other depends on no machine.
        func press() async throws {
            try await TestConnection.run {
                self.connections.withLock { connections in
                    for index in connections.indices {
                        let (kind, connection) = connections[index]
                        guard (try? connection.push(kind.drop)) == nil else { continue }
                        guard let other = try? Self.connect(self.club, kind) else { continue }
                        connections[index] = (kind, other)
                    }
                }
            }
        }
    }

    /// A decent client: it comes again when it is told that the server is busy.
    private func call(_ body: () async throws -> Void) async throws {
        for _ in 0..<100 {
            do {
                return try await body()
            } catch let refused as CallRefused where refused.status == 503 {
                continue
            } catch is TestConnection.Closed {
                continue
            }
        }
        Issue.record("an honest client got no answer")
    }

    private func expect(_ text: String, at path: String, of club: TestClub) async throws {
        try await call {
            let reply = try await club.send(Routes.download, DownloadArg(path: path))
            if reply.status == 503 { throw CallRefused(status: 503, text: reply.text) }
            #expect(reply.text == text)
        }
    }

    private func besiege(
        _ endpoint: ClubServer.Endpoint?, _ kinds: [Kind], each count: Int
    ) async throws {
        try await TestClub.with(["note.txt": "text"], endpoint: endpoint) {
            (club: TestClub) async throws in
            let besieger = try await Besieger(club, kinds, each: count)
            try await withThrowingTaskGroup { group in
                for client in 0..<4 {
                    group.addTask {
                        for round in 0..<3 {
                            let path = "/\(client)-\(round).txt"
                            try await besieger.press()
                            try await call {
                                try await club.upload(path, to: path, mode: .overwrite)
                            }
                            try await besieger.press()
                            try await expect(path, at: path, of: club)
                            try await call { _ = try await club.metadata("/note.txt") }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await club.list().entries.count == 13)
        }
    }

    @Test(arguments: Kind.allCases)
    func honestClientsSucceedBesideAHundred(kind: Kind) async throws {
        try await besiege(nil, [kind], each: 100)
        try await besiege(.tcp(port: 0), [kind], each: 100)
    }

    @Test(arguments: [nil, ClubServer.Endpoint.tcp(port: 0)])
    func honestClientsSucceedBesideThreeHundredOfSixKinds(
        endpoint: ClubServer.Endpoint?
    ) async throws {
        try await besiege(endpoint, Kind.allCases, each: 50)
    }

    @Test(arguments: [nil, ClubServer.Endpoint.tcp(port: 0)])
    func thousandsOfIdleConnectionsKeepNobodyOut(endpoint: ClubServer.Endpoint?) async throws {
        try await TestClub.with(["note.txt": "text"], endpoint: endpoint) {
            (club: TestClub) async throws in
            for _ in 0..<5 {
                let idle = try await TestConnection.run {
                    try (0..<400).map { _ in try club.connect() }
                }
                try await expect("text", at: "/note.txt", of: club)
                for connection in idle { connection.close() }
            }
        }
    }

    /// With the token, too: who reads nothing holds up nobody.
    @Test(arguments: [nil, ClubServer.Endpoint.tcp(port: 0)])
    func aDownloadThatNobodyReadsHoldsUpNobody(endpoint: ClubServer.Endpoint?) async throws {
        let large = String(repeating: "large ", count: 1 << 20)
        try await TestClub.with(["large.txt": large], endpoint: endpoint) {
            (club: TestClub) async throws in
            let unread = try await TestConnection.run {
                try (0..<40).map { _ in
                    let connection = try club.connect()
                    try connection.request(
                        "POST", Routes.download.path,
                        [
                            ("Authorization", "Bearer \(club.token)"),
                            ("Dropbox-API-Arg", "{\"path\":\"/large.txt\"}"),
                        ], [])
                    try connection.waitForBytes()
                    return connection
                }
            }
            #expect(try await club.list().entries.count == 1)
            for connection in unread { connection.close() }
        }
    }

    @Test func aConnectionThatIsKeptIsAnsweredInTheMidst() async throws {
        try await TestClub.with(endpoint: .tcp(port: 0)) { (club: TestClub) async throws in
            let besieger = try await Besieger(club, Kind.allCases, each: 50)
            let connection = try club.connect()
            for _ in 0..<10 {
                try await besieger.press()
                let status = try await TestConnection.run {
                    try connection.request(
                        "POST", Routes.checkUser.path,
                        [
                            ("Authorization", "Bearer \(club.token)"),
                            ("Content-Type", "application/json"),
                        ], Array("{\"query\":\"a\"}".utf8))
                    return try connection.readReply().status
                }
                #expect(status == 200)
            }
        }
    }
}
