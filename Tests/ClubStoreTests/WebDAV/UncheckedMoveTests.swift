import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// A server, or a proxy, that checks conditions of a `PUT`, and ignores those of a `MOVE` and `Overwrite: F`.
@Suite struct UncheckedMoveTests {
    private let standIn: WebDAVStandIn

    init() async throws {
        standIn = try await WebDAVStandIn.probed(.init(checksMoves: false)) {
            $0.limits.directByteCount = 8
        }
        standIn.plant("old", at: "/a")
    }

    @Test func aRenameReplacesNoOther() async throws {
        standIn.plant("hers, the only copy", at: "/b")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.move(path("/a"), to: path("/b"))
        }
        #expect(standIn.contents(of: "/a") == "old")
        #expect(standIn.contents(of: "/b") == "hers, the only copy")
    }

    /// A rival's text that arrives while a large one is on its way to its temporary name.
    private func intrude(at place: String) {
        // After the look at the path, with the bytes.
        standIn.before(standIn.requests.count + 1) { $0.plant("hers, the only copy", at: place) }
    }

    @Test func aLargeEditReplacesNoOther() async throws {
        let old = try await standIn.store.metadata(of: path("/a"))
        intrude(at: "/a")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(
                data("mine, and large"), at: path("/a"), mode: .update(old.revision))
        }
        #expect(standIn.contents(of: "/a") == "hers, the only copy")
        #expect(standIn.paths == ["/a", "/first"])
    }

    @Test(arguments: [RemoteWriteMode.create, .add])
    func aNewLargeNoteReplacesNoOther(_ mode: RemoteWriteMode) async throws {
        intrude(at: "/b")
        await expectFailure(.conflict(serverRevision: nil)) {
            _ = try await standIn.store.put(data("mine, and large"), at: path("/b"), mode: mode)
        }
        #expect(standIn.contents(of: "/b") == "hers, the only copy")
        #expect(standIn.paths == ["/a", "/b", "/first"])
    }
}
