import ClubStore
import Foundation
import Testing

/// For waits that end much sooner: the maximum that any server accepts, so that none times out on a busy
/// machine.
let longWait = Duration.seconds(480)

/// One call of each kind.
struct StoreCall: Sendable, CustomTestStringConvertible {
    let operation: StoreError.Operation

    /// - Parameter cursor: From a listing of the root, for calls about changes.
    let make: @Sendable (_ store: any RemoteStore, _ cursor: Cursor) async throws -> Void

    var testDescription: String { operation.rawValue }

    /// The call's error; nil, with an issue recorded, if it succeeds.
    func failure(
        of store: any RemoteStore, _ cursor: Cursor, _ when: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> StoreError? {
        do {
            try await make(store, cursor)
            Issue.record("\(operation) did not fail \(when)", sourceLocation: sourceLocation)
        } catch let error as StoreError {
            #expect(
                error.operation == operation, "\(error) \(when)", sourceLocation: sourceLocation)
            return error
        } catch {
            Issue.record(error, "\(operation) \(when)", sourceLocation: sourceLocation)
        }
        return nil
    }

    /// Expects the call to fail with a code, ignoring its revision or time.
    func expectFailure(
        _ code: StoreError.Code, of store: any RemoteStore, _ cursor: Cursor, _ when: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        guard
            let error = await failure(of: store, cursor, when, sourceLocation: sourceLocation)
        else { return }
        #expect(
            error.code.bare == code.bare, "\(error) \(when)", sourceLocation: sourceLocation)
    }

    static let all: [StoreCall] = [
        StoreCall(operation: .account) { store, _ in _ = try await store.account() },
        StoreCall(operation: .list) { store, _ in _ = try await store.list(path("/a")) },
        StoreCall(operation: .changes) { store, cursor in
            _ = try await store.changes(since: cursor)
        },
        StoreCall(operation: .waitForChanges) { store, cursor in
            _ = try await store.waitForChanges(after: cursor, atMost: longWait)
        },
        StoreCall(operation: .metadata) { store, _ in
            _ = try await store.metadata(of: path("/a"))
        },
        StoreCall(operation: .fetch) { store, _ in _ = try await store.fetch(path("/a")) },
        StoreCall(operation: .put) { store, _ in
            _ = try await store.put(data("x"), at: path("/a"), mode: .add)
        },
        StoreCall(operation: .thumbnail) { store, _ in
            for await (_, result) in store.thumbnails(of: [try path("/a")], size: .w64h64) {
                _ = try result.get()
            }
        },
        StoreCall(operation: .delete) { store, _ in try await store.delete(path("/a")) },
        StoreCall(operation: .move) { store, _ in
            _ = try await store.move(path("/a"), to: path("/b"))
        },
        StoreCall(operation: .createFolder) { store, _ in
            try await store.createFolder(path("/a"))
        },
        StoreCall(operation: .search) { store, _ in _ = try await store.search("x", in: .root) },
        StoreCall(operation: .upload) { store, _ in
            let folder = try TemporaryFolder()
            let file = try folder.write(data("x"), to: "f")
            _ = try await Recorder.upload(file, to: path("/a"), in: store)
        },
        StoreCall(operation: .download) { store, _ in
            let folder = try TemporaryFolder()
            _ = try await Recorder.download(
                path("/a"), to: folder.url.appending(path: "f"), in: store)
        },
    ]
}
