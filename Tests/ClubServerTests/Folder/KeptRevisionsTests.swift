import DropboxAPI
import Foundation
import Testing

@testable import ClubServer

@Suite struct KeptRevisionsTests {
    private let limits = {
        var limits = RevisionLimits()
        limits.noteByteLimit = 10
        limits.larger.byteCount = 100
        return limits
    }()

    private func withStore(
        _ body: (_ store: KeptRevisions, _ access: FolderAccess) throws -> Void
    ) throws {
        let home = try TestClub.makeHome(with: ["club", "state"])
        defer { try? FileManager.default.removeItem(atPath: home) }
        let access = try FolderAccess(path: home + "/club")
        let store = try KeptRevisions(
            stateFolder: home + "/state", name: "kept", access: access, log: ServerLog(),
            limits: limits)
        try store.start()
        try body(store, access)
    }

    /// Keeps a photo that is out of the club already.
    private func keep(
        _ name: String, byteCount: Int = 80, _ ending: KeptRevision.Ending, in store: KeptRevisions,
        _ access: FolderAccess
    ) throws {
        try Data(count: byteCount).write(
            to: URL(filePath: "\(access.path)/\(StagingFolder.name)/\(name)"))
        let status = try FileStatus.of(name, in: access.staging.number)
        let revision = KeptRevision(
            id: "id:\(name)", key: "/\(name)", name: name, path: "/\(name)",
            facts: FileFacts(signature: status.signature), blob: status.signature, ending: ending,
            kept: .now)
        try store.announce([revision])
        let taken = store.take(revision.revision, from: name, in: access.staging.number)
        #expect(taken == .taken)
    }

    /// A photo that the app says can be brought back was destroyed when the next one was deleted.
    @Test func whatWasJustDeletedStaysHoweverMuchItIs() throws {
        try withStore { store, access in
            let names = (1...6).map { "\($0).jpg" }
            for name in names { try keep(name, .deleted, in: store, access) }
            try keep("one.jpg", byteCount: 500, .deleted, in: store, access)
            for name in names + ["one.jpg"] {
                #expect(store.history(key: "/\(name)").count == 1, "\(name)")
            }
            // What was replaced has its share alone.
            try keep("old.jpg", .replaced, in: store, access)
            #expect(store.history(key: "/old.jpg").isEmpty)
            #expect(store.history(key: "/1.jpg").count == 1)
        }
    }

    @Test func aWriteThatFailsAnywayCostsNothing() throws {
        try withStore { store, access in
            try keep("1.jpg", .deleted, in: store, access)
            #expect(store.makeRoom(for: .max / 2) == .none)
            #expect(store.history(key: "/1.jpg").count == 1)
        }
    }
}
