import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// A server that decodes `Destination` before parsing it, as WsgiDAV does: it truncates names at a
/// `?` or a `;`.
@Suite struct MangledNameTests {
    private let server: FaultyWebDAV

    init() async throws {
        (server, _) = try await StoreWrite.makeServer(.init(decodesDestinationFirst: true))
        server.standIn.plant("somebody else's", at: "/big")
    }

    @Test func aFolderGetsANameThatIsOnlyEscaped() async throws {
        server.standIn.plantFolder(at: "/trip")
        server.standIn.plant("a", at: "/trip/a")
        _ = try await server.store.move(path("/trip"), to: path("/Été (2)"))
        #expect(server.standIn.contents(of: "/Été (2)/a") == "a")
        #expect(server.standIn.paths.filter { $0.hasPrefix("/.") } == [])
        await expectFailure(.nameNotAllowed) {
            _ = try await server.store.move(path("/Été (2)"), to: path("/a;b"))
        }
    }

    /// The file is there, under its whole name, and no other one has changed.
    private func expectWrite(
        to name: String, _ write: (RemotePath) async throws -> Void
    ) async throws {
        try await write(try path("/\(name)"))
        #expect(server.standIn.contents(of: "/\(name)") != nil)
        #expect(server.standIn.contents(of: "/big") == "somebody else's")
        #expect(server.standIn.paths.filter { $0.hasPrefix("/.") } == [])
    }

    @Test(arguments: ["big?x.txt", "big;x.txt", "big;v=1?2"])
    func aNewLargeNoteReplacesNoOther(_ name: String) async throws {
        try await expectWrite(to: name) { place in
            _ = try await server.store.put(
                data("a text that goes under another name first"), at: place, mode: .add)
        }
    }

    @Test(arguments: ["new?x.txt", "new;x.txt"])
    func aNewLargeNoteIsAtItsPlace(_ name: String) async throws {
        try await expectWrite(to: name) { place in
            _ = try await server.store.put(
                data("a text that goes under another name first"), at: place, mode: .add)
        }
        #expect(server.standIn.contents(of: "/new") == nil)
    }

    @Test(arguments: ["big?x.txt", "big;x.txt"])
    func aLargeEditReplacesNoOther(_ name: String) async throws {
        server.standIn.plant("short", at: "/\(name)")
        let old = try await server.store.metadata(of: path("/\(name)"))
        try await expectWrite(to: name) { place in
            _ = try await server.store.put(
                data("a text that goes under another name first"), at: place,
                mode: .update(old.revision))
        }
        #expect(
            server.standIn.contents(of: "/\(name)") == "a text that goes under another name first")
    }

    @Test(arguments: ["big?x.txt", "big;x.txt"])
    func aRenamedNoteReplacesNoOther(_ name: String) async throws {
        try await expectWrite(to: name) { _ = try await server.store.move(path("/old"), to: $0) }
        #expect(server.standIn.contents(of: "/\(name)") == "the old text")
        #expect(server.standIn.contents(of: "/old") == nil)
    }

    @Test(arguments: ["new?x.txt", "new;x.txt"])
    func aRenamedNoteIsAtItsPlace(_ name: String) async throws {
        try await expectWrite(to: name) { _ = try await server.store.move(path("/old"), to: $0) }
        #expect(server.standIn.contents(of: "/\(name)") == "the old text")
        #expect(server.standIn.contents(of: "/old") == nil)
    }
}
