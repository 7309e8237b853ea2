import ClubStore
import Foundation
import Testing

extension RemoteStoreContract {
    static let following = [
        ContractCheck("changes tell what has happened since, once") { store in
            _ = try await store.put(data("1"), at: path("/kept"), mode: .add)
            let old = try await store.put(data("2"), at: path("/gone"), mode: .add)
            let start = try await store.list(.root, recursive: true).cursor
            #expect(try await store.changes(since: start).entries.isEmpty)
            let new = try await store.put(data("3"), at: path("/new"), mode: .add)
            try await store.delete(old.path)
            let changes = try await store.changes(since: start)
            #expect(changes.files.contains { $0.isSameState(as: new) })
            #expect(changes.entries.contains(.deleted(old.path)))
            #expect(!changes.entries.map(\.path.string).contains("/kept"))
            #expect(try await store.changes(since: changes.cursor).entries.isEmpty)
        },
        ContractCheck("waiting ends when there is something to tell") { store in
            let cursor = try await store.list(.root, recursive: true).cursor
            async let hasChanges = store.waitForChanges(after: cursor, atMost: longWait)
            _ = try await store.put(data("1"), at: path("/new"), mode: .add)
            #expect(try await hasChanges)
            #expect(try await store.waitForChanges(after: cursor, atMost: longWait))
        },
        ContractCheck("waiting ends when the time is up") { store in
            let cursor = try await store.list(.root).cursor
            #expect(try await !store.waitForChanges(after: cursor, atMost: .milliseconds(20)))
        },
        ContractCheck("waiting ends when it is cancelled") { store in
            let cursor = try await store.list(.root).cursor
            let waiting = Task {
                try await store.waitForChanges(after: cursor, atMost: longWait)
            }
            waiting.cancel()
            await expectFailure(.cancelled) { _ = try await waiting.value }
        },
        ContractCheck("a senseless cursor asks for a new listing") { store in
            let cursor = Cursor(rawValue: "AAAAnosuchcursor")
            await expectFailure(.cursorReset) { _ = try await store.changes(since: cursor) }
            await expectFailure(.cursorReset) {
                _ = try await store.waitForChanges(after: cursor, atMost: longWait)
            }
        },
    ]

    static let moving = [
        ContractCheck("deleting a folder deletes what is in it") { store in
            _ = try await store.put(data("1"), at: path("/a/b/c"), mode: .add)
            try await store.delete(path("/a"))
            #expect(try await store.list(.root, recursive: true).entries.isEmpty)
        },
        ContractCheck("a moved file is at the new place alone") { store in
            _ = try await store.put(data("1"), at: path("/a"), mode: .add)
            let moved = try await store.move(path("/a"), to: path("/b"))
            #expect(moved.path.string == "/b")
            #expect(try await store.fetch(path("/b")).data == data("1"))
            await expectFailure(.notFound) { _ = try await store.metadata(of: path("/a")) }
        },
        ContractCheck("a folder moves with what is in it") { store in
            _ = try await store.put(data("1"), at: path("/a/x"), mode: .add)
            _ = try await store.move(path("/a"), to: path("/b"))
            #expect(try await store.fetch(path("/b/x")).data == data("1"))
        },
        ContractCheck("nothing moves over something else, or into itself") { store in
            _ = try await store.put(data("1"), at: path("/a/x"), mode: .add)
            _ = try await store.put(data("2"), at: path("/b"), mode: .add)
            await expectFailure(.conflict(serverRevision: nil)) {
                _ = try await store.move(path("/a"), to: path("/b"))
            }
            await expectFailure(.nameNotAllowed) {
                _ = try await store.move(path("/a"), to: path("/a/c"))
            }
            await expectFailure(.forbidden) { _ = try await store.move(.root, to: path("/c")) }
            await expectFailure(.forbidden) { try await store.delete(.root) }
            #expect(try await store.fetch(path("/b")).data == data("2"))
        },
        ContractCheck("a folder is made once, with those above it") { store in
            try await store.createFolder(path("/a/b"))
            #expect(try await store.list(path("/a")).entries.map(\.path.string) == ["/a/b"])
            await expectFailure(.conflict(serverRevision: nil)) {
                try await store.createFolder(path("/a/b"))
            }
            await expectFailure(.conflict(serverRevision: nil)) {
                try await store.createFolder(.root)
            }
        },
    ]
}
