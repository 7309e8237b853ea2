import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Files that killed programs have left on a server.
@Suite struct LeftoverTests {
    private static let ours = ["/.byteclub-03f2a9z8y7x6w.tmp", "/.byteclub-probe-13f2a9z8y7x6w"]

    /// A server whose files are from 13 September 2020, with this clock.
    private func standIn(clock: String?) throws -> WebDAVStandIn {
        let standIn = try WebDAVStandIn(.init(date: clock))
        for name in Self.ours + ["/note.txt", "/.hidden.tmp", "/.byteclub-notes.tmp"] {
            standIn.plant("x", at: name)
        }
        return standIn
    }

    @Test func areRemovedADayLaterAndNothingElseIs() async throws {
        let standIn = try standIn(clock: "Mon, 14 Sep 2020 12:27:00 GMT")
        let listed = try await standIn.store.list(.root).entries.map(\.path.string)
        // A member's file may have a similar name.
        #expect(listed == ["/.byteclub-notes.tmp", "/.hidden.tmp", "/note.txt"])
        await standIn.server.requests(atLeast: 3)
        #expect(
            Set(standIn.newCalls().dropFirst()) == Set(Self.ours.map { "DELETE " + $0 }))
    }

    @Test(arguments: ["Mon, 14 Sep 2020 12:26:00 GMT", nil])
    func areLeftAloneWhileSomebodyMayBeAtWorkOnThem(_ clock: String?) async throws {
        let standIn = try standIn(clock: clock)
        _ = try await standIn.store.list(.root)
        _ = try await standIn.store.list(.root)
        #expect(standIn.newCalls() == ["PROPFIND /", "PROPFIND /"])
    }

    @Test func areTriedOnce() async throws {
        let standIn = try WebDAVStandIn(
            .init(
                date: "Mon, 14 Sep 2020 12:27:00 GMT",
                interception: { $0.method == "DELETE" ? [.answer("403 Forbidden")] : nil }))
        standIn.plant("x", at: Self.ours[0])
        _ = try await standIn.store.list(.root)
        await standIn.server.requests(atLeast: 2)
        _ = try await standIn.store.list(.root)
        _ = try await standIn.store.list(.root)
        #expect(
            standIn.newCalls()
                == ["PROPFIND /", "DELETE " + Self.ours[0], "PROPFIND /", "PROPFIND /"])
    }

    @Test func namesOfOurOwnAreKnown() {
        for _ in 0..<100 {
            #expect(TemporaryName.isOne(TemporaryName.staged()))
            #expect(TemporaryName.isOne(TemporaryName.probe()))
        }
        for name in ["", ".byteclub-", ".byteclub-.tmp", ".byteclub-probe-", ".byteclub-Notes.tmp"]
        {
            #expect(!TemporaryName.isOne(name))
        }
    }
}
