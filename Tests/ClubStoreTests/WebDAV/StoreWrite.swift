import Foundation
import Testing

@testable import ClubStore

/// One write of each kind, for tests with a ``FaultyWebDAV``.
struct StoreWrite: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The method that takes effect, once the server's capabilities are known.
    let method: String
    /// - Parameter old: The file at `/old`: `the old text`.
    let make: @Sendable (_ store: WebDAVStore, _ old: RemoteFile) async throws -> Void
    /// The expected state of the server: texts by path, nil for removed files.
    let effect: [String: String?]

    func isDone(at standIn: WebDAVStandIn) -> Bool {
        effect.allSatisfy { path, text in
            path.hasSuffix("/")
                ? standIn.paths.contains(String(path.dropLast()))
                : standIn.contents(of: path) == text
        }
    }

    /// Above this, ``makeServer()`` stages texts under a temporary name.
    private static let directByteCount: Int64 = 20
    private static let small = "the new text"
    private static let large = "a text that goes under another name first"

    static let all = [
        StoreWrite(
            testDescription: "a new note", method: "PUT",
            make: { store, _ in
                _ = try await store.put(data(small), at: path("/new"), mode: .add)
            }, effect: ["/new": small, "/old": "the old text"]),
        StoreWrite(
            testDescription: "a new large note", method: "MOVE",
            make: { store, _ in
                _ = try await store.put(data(large), at: path("/new"), mode: .add)
            }, effect: ["/new": large, "/old": "the old text"]),
        StoreWrite(
            testDescription: "an edit", method: "PUT",
            make: { store, old in
                _ = try await store.put(data(small), at: old.path, mode: .update(old.revision))
            }, effect: ["/old": small]),
        StoreWrite(
            testDescription: "a large edit", method: "MOVE",
            make: { store, old in
                _ = try await store.put(data(large), at: old.path, mode: .update(old.revision))
            }, effect: ["/old": large]),
        StoreWrite(
            testDescription: "an overwrite", method: "PUT",
            make: { store, old in
                _ = try await store.put(data(small), at: old.path, mode: .overwrite)
            }, effect: ["/old": small]),
        StoreWrite(
            testDescription: "an upload", method: "PUT",
            make: { store, _ in
                let folder = try TemporaryFolder()
                let file = try folder.write(data(small), to: "f")
                _ = try await Recorder.upload(file, to: path("/new"), in: store)
            }, effect: ["/new": small, "/old": "the old text"]),
        StoreWrite(
            testDescription: "a large upload", method: "PUT",
            make: { store, _ in
                let folder = try TemporaryFolder()
                let file = try folder.write(data(large), to: "f")
                _ = try await Recorder.upload(file, to: path("/new"), in: store)
            }, effect: ["/new": large, "/old": "the old text"]),
        StoreWrite(
            testDescription: "a rename", method: "MOVE",
            make: { store, old in _ = try await store.move(old.path, to: path("/new")) },
            effect: ["/new": "the old text", "/old": nil]),
        StoreWrite(
            testDescription: "a deletion", method: "DELETE",
            make: { store, old in try await store.delete(old.path) }, effect: ["/old": nil]),
        StoreWrite(
            testDescription: "a deletion of a revision", method: "DELETE",
            make: { store, old in try await store.delete(old.path, ifRevision: old.revision) },
            effect: ["/old": nil]),
        StoreWrite(
            testDescription: "a new folder", method: "MKCOL",
            make: { store, _ in try await store.createFolder(path("/new")) },
            effect: ["/new/": nil, "/old": "the old text"]),
        StoreWrite(
            testDescription: "a note in a new folder", method: "MKCOL",
            make: { store, _ in
                _ = try await store.put(data(small), at: path("/new/note"), mode: .add)
            }, effect: ["/new/note": small, "/old": "the old text"]),
    ]

    /// A server without faults so far, with known capabilities and a known file at `/old`.
    static func makeServer(
        _ manners: WebDAVStandIn.Manners = .init()
    ) async throws -> (FaultyWebDAV, old: RemoteFile) {
        let server = try FaultyWebDAV(manners) { $0.limits.directByteCount = directByteCount }
        _ = try await server.store.put(data("1st"), at: path("/first"), mode: .add)
        server.standIn.plant("the old text", at: "/old")
        return (server, try await server.store.metadata(of: path("/old")))
    }
}
