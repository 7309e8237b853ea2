import ClubAccess
import ClubStore
import ClubStoreTestSupport
import Testing

/// An empty folder is removed; a file that another member adds meanwhile is not.
@Suite(.timeLimit(.minutes(1))) struct FolderRemovalTests {
    private static let folder = "/empty"

    private static func removal(
        in store: InMemoryStore
    ) async throws -> Task<StoreError.Code?, any Error> {
        let path = try RemotePath(validating: folder)
        try await store.createFolder(path)
        return Task {
            do throws(StoreError) {
                try await FolderRemoval.remove(path, in: store)
                return nil
            } catch {
                return error.code
            }
        }
    }

    private static func names(in store: InMemoryStore) async throws -> [String] {
        try await store.list(.root, recursive: true).entries.map(\.path.string).sorted()
    }

    @Test(arguments: [true, false])
    func removesAnEmptyFolderAndLeavesNoTrace(keepsRevisions: Bool) async throws {
        let store = InMemoryStore(keepsRevisions: keepsRevisions)
        #expect(try await Self.removal(in: store).value == nil)
        #expect(try await Self.names(in: store) == [])
    }

    @Test func aFileAddedAfterTheLookStays() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        store.hold(.move)
        let removal = try await Self.removal(in: store)
        await store.waitForCalls(of: .move)
        try store.plant("a note", at: "/empty/new.txt")
        store.release(.move)
        #expect(try await removal.value == .conflict(serverRevision: nil))
        #expect(try await Self.names(in: store) == ["/empty", "/empty/new.txt"])
    }

    @Test func aFileStaysBesideAFolderThatTookTheName() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        store.hold(.move)
        let removal = try await Self.removal(in: store)
        await store.waitForCalls(of: .move)
        store.hold(.list)
        try store.plant("a note", at: "/empty/new.txt")
        store.release(.move)
        await store.waitForCalls(of: .list, count: 2)
        try store.plant("another", at: "/empty/other.txt")
        store.release(.list)
        #expect(try await removal.value == .conflict(serverRevision: nil))
        #expect(store.contents(of: "/empty/other.txt") != nil)
        #expect(store.contents(of: "/empty-being-deleted/new.txt") != nil)
    }

    @Test func stepsAroundANameLeftByAnEarlierProgram() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        try store.plant("left", at: "/empty-being-deleted/old.txt")
        #expect(try await Self.removal(in: store).value == nil)
        #expect(
            try await Self.names(in: store)
                == ["/empty-being-deleted", "/empty-being-deleted/old.txt"])
    }

    /// Some WebDAV servers cannot: a folder that can never be removed would be worse.
    @Test func isRemovedWhereItCannotBeMoved() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        store.failNext(.move, with: .nameNotAllowed)
        #expect(try await Self.removal(in: store).value == nil)
        #expect(try await Self.names(in: store) == [])
    }

    @Test func aFailureBringsTheFolderBack() async throws {
        let store = InMemoryStore(keepsRevisions: false)
        store.failNext(.delete, with: .locked)
        #expect(try await Self.removal(in: store).value == .locked)
        #expect(try await Self.names(in: store) == ["/empty"])
    }
}
