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

    /// Either the write fails with an error about the name, or the file is there.
    private func tryWrite(
        to name: String, _ write: (RemotePath) async throws -> Void
    ) async throws {
        let place = try path("/\(name)")
        do {
            try await write(place)
            #expect(server.standIn.contents(of: "/\(name)") != nil, "told as done")
        } catch let error as StoreError {
            #expect([.badAnswer, .nameNotAllowed].contains(error.code), "\(error)")
            #expect(server.standIn.contents(of: "/\(name)") == nil, "told as failed: \(error)")
        }
        #expect(server.standIn.contents(of: "/big") == "somebody else's")
        #expect(server.standIn.paths.filter { $0.hasPrefix("/.") } == [])
    }

    @Test(arguments: ["big?x.txt", "big;x.txt", "big;v=1?2"])
    func aNewLargeNoteReplacesNoOther(_ name: String) async throws {
        try await tryWrite(to: name) { place in
            _ = try await server.store.put(
                data("a text that goes under another name first"), at: place, mode: .add)
        }
    }

    @Test(arguments: ["new?x.txt", "new;x.txt"])
    func aNewLargeNoteIsAtItsPlaceOrNowhere(_ name: String) async throws {
        try await tryWrite(to: name) { place in
            _ = try await server.store.put(
                data("a text that goes under another name first"), at: place, mode: .add)
        }
        #expect(server.standIn.contents(of: "/new") == nil)
    }

    @Test(arguments: ["big?x.txt", "big;x.txt"])
    func aLargeEditReplacesNoOther(_ name: String) async throws {
        server.standIn.plant("short", at: "/\(name)")
        let old = try await server.store.metadata(of: path("/\(name)"))
        _ = try? await server.store.put(
            data("a text that goes under another name first"), at: old.path,
            mode: .update(old.revision))
        #expect(server.standIn.contents(of: "/big") == "somebody else's")
        #expect(server.standIn.contents(of: "/\(name)") != nil)
    }

    @Test(arguments: ["big?x.txt", "big;x.txt"])
    func aRenamedNoteReplacesNoOther(_ name: String) async throws {
        try await tryWrite(to: name) { _ = try await server.store.move(path("/old"), to: $0) }
        #expect(
            server.standIn.contents(of: "/old") ?? server.standIn.contents(of: "/\(name)")
                == "the old text")
    }

    /// The note exists somewhere, and the error says that it is not in its place.
    @Test(arguments: ["new?x.txt", "new;x.txt"])
    func aRenamedNoteIsAtItsPlaceOrWhereItWas(_ name: String) async throws {
        try await tryWrite(to: name) { _ = try await server.store.move(path("/old"), to: $0) }
        #expect(
            server.standIn.contents(of: "/old") ?? server.standIn.contents(of: "/\(name)")
                == "the old text")
    }
}
