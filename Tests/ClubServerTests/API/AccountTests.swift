import ClubServer
import DropboxAPI
import Foundation
import Testing

@Suite struct AccountTests {
    @Test func theAccountIsTheUserOfThisMachine() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let account = try await club.call(Routes.getCurrentAccount, NoValue())
            #expect(account.accountID.utf8.count == 40)
            #expect(account.accountID.hasPrefix("dbid:"))
            #expect(!account.name.displayName.isEmpty)
            #expect(account.rootInfo.rootNamespaceID == "1")
        }
    }

    @Test func spaceIsWhatTheFilesTake() async throws {
        try await TestClub.with(["a.txt": "12345", "f/b.txt": "123"]) {
            (club: TestClub) async throws in
            let usage = try await club.call(Routes.getSpaceUsage, NoValue())
            #expect(usage.used == 8)
            guard case .individual(let allocated) = usage.allocation else {
                Issue.record("\(usage)")
                return
            }
            #expect(allocated > 8)
        }
    }

    @Test func checkUserSendsTheTextBack() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            #expect(try await club.call(Routes.checkUser, EchoArg(query: "hej")).result == "hej")
        }
    }

    /// SDKs expect it when they sign out; the token stays that of the other programs.
    @Test func revokingTheTokenIsAnsweredAndChangesNothing() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let reply = try await club.send(Routes.revokeToken, NoValue())
            #expect(reply.status == 200 && reply.text == "null")
            try await club.call(Routes.getCurrentAccount, NoValue())
        }
    }

    @Test func aCallWithoutTheRightTokenIsRefused() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let path = Routes.getCurrentAccount.path
            let without = try await club.send(path: path)
            #expect(without.status == 400)
            #expect(without.text.contains("Must provide HTTP header \"Authorization\""))
            let wrong = try await club.send(path: path, headers: [("Authorization", "Bearer x")])
            #expect(wrong.status == 401)
            let answer: ErrorAnswer<AuthError> = try WireJSON.decode(from: Data(wrong.body))
            #expect(answer.error == .invalidAccessToken)
            let basic = try await club.send(path: path, headers: [("Authorization", "Basic eDp5")])
            #expect(basic.status == 400)
            let right = try await club.send(
                path: path, headers: [("Authorization", "bearer \(club.token)")])
            #expect(right.status == 200)
        }
    }

    @Test func theLongPollTakesNoToken() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let reply = try await club.send(
                path: Routes.longpoll.path,
                headers: [
                    ("Authorization", "Bearer \(club.token)"), ("Content-Type", "application/json"),
                ], body: Array("{\"cursor\":\"x\"}".utf8))
            #expect(reply.status == 400)
            #expect(reply.text.contains("this function does not use it"))
        }
    }

    @Test func theTokenIsForThisUserOnly() async throws {
        try await TestClub.with { (club: TestClub) async throws in
            let attributes = try FileManager.default.attributesOfItem(
                atPath: club.configuration.tokenFile)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(club.token.utf8.count >= 43)
        }
    }
}
