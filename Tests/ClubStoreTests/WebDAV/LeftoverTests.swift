import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Files that killed programs have left on a server.
@Suite struct LeftoverTests {
    /// A server whose files are of 13 September 2020, and whose clock says this.
    private func standIn(clock: String?) throws -> WebDAVStandIn {
        let standIn = try WebDAVStandIn(.init(date: clock))
        for name in ["/.byteclub-3f2a.tmp", "/.byteclub-probe-1z", "/note.txt", "/.hidden.tmp"] {
            standIn.plant("x", at: name)
        }
        return standIn
    }

    @Test func areRemovedADayLaterAndNothingElseIs() async throws {
        let standIn = try standIn(clock: "Mon, 14 Sep 2020 12:27:00 GMT")
        let listed = try await standIn.store.list(.root).entries.map(\.path.string)
        #expect(listed == ["/.hidden.tmp", "/note.txt"])
        await standIn.server.requests(atLeast: 3)
        #expect(
            Set(standIn.newCalls().dropFirst())
                == ["DELETE /.byteclub-3f2a.tmp", "DELETE /.byteclub-probe-1z"])
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
        standIn.plant("x", at: "/.byteclub-3f2a.tmp")
        _ = try await standIn.store.list(.root)
        await standIn.server.requests(atLeast: 2)
        _ = try await standIn.store.list(.root)
        _ = try await standIn.store.list(.root)
        #expect(
            standIn.newCalls()
                == ["PROPFIND /", "DELETE /.byteclub-3f2a.tmp", "PROPFIND /", "PROPFIND /"])
    }
}
