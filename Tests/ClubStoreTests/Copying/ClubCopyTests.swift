import ClubStoreTestSupport
import Foundation
import Testing

@testable import ClubStore

@MainActor @Suite struct ClubCopyTests {
    private let source = InMemoryStore()
    private let destination = InMemoryStore()
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func everythingIsThereAfterwards() async throws {
        try source.plant("one", at: "/one.txt")
        try source.plant("", at: "/empty.txt")
        try source.plant("panorama", at: "/photos/wide.jpg")
        #expect(try await copy() == ["copied", "copied", "copied", "copied"])
        #expect(destination.contents(of: "/one.txt") == data("one"))
        #expect(destination.contents(of: "/empty.txt") == Data())
        #expect(destination.contents(of: "/photos/wide.jpg") == data("panorama"))
    }

    @Test func saysWhatItHasWrittenAndNothingElse() async throws {
        try source.plant("one", at: "/one.txt")
        try source.plant("two", at: "/there.txt")
        try source.plant("mine", at: "/other.txt")
        try destination.plant("two", at: "/there.txt")
        try destination.plant("theirs", at: "/other.txt")
        var written: [RemoteFile] = []
        let copy = ClubCopy(
            from: source, to: destination, workingFolder: folder.url,
            didWrite: { written.append($0) }
        ) { _ in }
        try await copy.run()
        let one = try await destination.metadata(of: try RemotePath(validating: "/one.txt"))
        #expect(written == [one])
    }

    @Test func aSecondRunCopiesNothing() async throws {
        try source.plant("one", at: "/one.txt")
        _ = try await copy()
        #expect(try await copy() == ["there"])
        #expect(destination.calls.filter { $0.operation == .upload }.count == 1)
    }

    @Test func whatIsDifferentThereIsLeftAlone() async throws {
        try source.plant("mine", at: "/note.txt")
        try destination.plant("mein", at: "/note.txt")
        #expect(try await copy() == ["different"])
        #expect(destination.contents(of: "/note.txt") == data("mein"))
    }

    @Test func oneFileThatFailsKeepsTheOthersFromNothing() async throws {
        try source.plant("one", at: "/a.txt")
        try source.plant("two", at: "/b.txt")
        source.failNext(.download, with: .damaged)
        #expect(try await copy() == ["failed", "copied"])
        #expect(try await copy() == ["copied", "there"])
    }

    @Test func aFullDestinationEndsItAndTheNextRunGoesOn() async throws {
        try source.plant("one", at: "/a.txt")
        try source.plant("two", at: "/b.txt")
        destination.failNext(.upload, with: .overQuota)
        await #expect(throws: ClubCopy.Failure.self) { _ = try await copy() }
        #expect(destination.contents(of: "/b.txt") == nil)
        #expect(try await copy() == ["copied", "copied"])
    }

    @Test func aWriterWhoComesFirstWins() async throws {
        try source.plant("mine", at: "/note.txt")
        destination.hold(.upload)
        let copying = Task { try await copy() }
        await destination.waitForCalls(of: .upload)
        try destination.plant("theirs", at: "/note.txt")
        destination.release(.upload)
        #expect(try await copying.value == ["different"])
        #expect(destination.contents(of: "/note.txt") == data("theirs"))
    }

    @Test func whatArrivesDamagedIsTakenAwayAgain() async throws {
        try source.plant("whole", at: "/note.txt")
        let copy = ClubCopy(
            from: source, to: Corrupting(destination), workingFolder: folder.url
        ) { _ in }
        try await copy.run()
        #expect(destination.contents(of: "/note.txt") == nil)
    }

    @Test func aStoreWithoutHashesIsReadBackOnceAndThenBelieved() async throws {
        try source.plant("one", at: "/one.txt")
        let hashless = Corrupting(destination, isHonest: true)
        for _ in 1...2 {
            try await ClubCopy(
                from: source, to: hashless, workingFolder: folder.url
            ) { _ in }.run()
        }
        #expect(destination.calls.filter { $0.operation == .download }.count == 1)
    }

    @Test func aRunToTheEndLeavesTheLedgerAndWhatIsNotItsOwn() async throws {
        try source.plant("one", at: "/a.txt")
        try source.plant("two", at: "/b.txt")
        // A complete and a partial download of an earlier run, and the lock of its process.
        let name = String(repeating: "0af9", count: 8)
        for name in [
            name, "check-\(name)", ".\(name).1.part", ".check-\(name).1.part", "lock",
            "\(name).upload", "\(name).upload.new",
        ] {
            _ = try folder.write(data("x"), to: name)
        }
        for code in [StoreError.Code.tooLarge, .nameNotAllowed, .forbidden] {
            destination.failNext(.upload, with: code)
            _ = try await copy()
        }
        #expect(try folder.names == ["ledger", "lock"])
    }

    @Test func aDestinationThatIsNotThereYetIsMade() async throws {
        try source.plant("one", at: "/a.txt")
        destination.failNext(.list, with: .notFound)
        #expect(try await copy() == ["copied"])
        source.failNext(.list, with: .notFound)
        await #expect(throws: ClubCopy.Failure.self) { _ = try await copy() }
    }

    @Test func whatHasNoPathIsToldAsNotCopied() async throws {
        let standIn = try WebDAVStandIn()
        standIn.plant("x", at: "/note.txt")
        standIn.plantUnnameable("/bad%ff.txt")
        standIn.plantFolder(at: "/f")
        standIn.plantUnnameable("/f/%c3%28")
        #expect(
            try await standIn.store.list(.root, recursive: true).skipped
                == ["/bad%ff.txt", "/f/%c3%28"])
        var reported: [String] = []
        try await ClubCopy(
            from: standIn.store, to: destination, workingFolder: folder.url
        ) { event in
            guard case .finished(let path, .failed(let failure)) = event else { return }
            reported.append("\(path): \(failure.error.code)")
        }.run()
        #expect(reported == ["/bad%ff.txt: nameNotAllowed", "/f/%c3%28: nameNotAllowed"])
        #expect(destination.contents(of: "/note.txt") == data("x"))
    }

    @Test(arguments: [(WebDAVStandIn.Manners.Tags.strong, 1), (.coarse, 2), (.none, 2)])
    func whatIsHereIsNotFetchedAgainUnlessItMayBeAnotherState(
        _ tags: WebDAVStandIn.Manners.Tags, _ count: Int
    ) async throws {
        let standIn = try WebDAVStandIn(.init(tags: tags))
        standIn.plant("x", at: "/note.txt")
        destination.failNext(.upload, with: .offline)
        for _ in 1...2 {
            try? await ClubCopy(
                from: standIn.store, to: destination, workingFolder: folder.url
            ) { _ in }.run()
        }
        #expect(destination.contents(of: "/note.txt") == data("x"))
        #expect(standIn.calls.filter { $0 == "GET /note.txt" }.count == count)
    }

    @Test func aLedgerThatACrashCutOffIsOnlyForgotten() async throws {
        try source.plant("one", at: "/one.txt")
        _ = try await copy()
        let ledger = folder.url.appending(path: "ledger")
        try Data(contentsOf: ledger).dropLast(5).write(to: ledger)
        #expect(try await copy() == ["there"])
    }

    /// The outcome of each entry, in order.
    private func copy() async throws -> [String] {
        var outcomes: [String] = []
        try await ClubCopy(from: source, to: destination, workingFolder: folder.url) { event in
            guard case .finished(_, let outcome) = event else { return }
            switch outcome {
            case .copied: outcomes.append("copied")
            case .alreadyThere: outcomes.append("there")
            case .different: outcomes.append("different")
            case .failed: outcomes.append("failed")
            }
        }.run()
        return outcomes
    }
}

/// A store without hashes that corrupts what it is sent, unless it is honest.
private final class Corrupting: RemoteStore {
    private let store: InMemoryStore
    private let isHonest: Bool

    init(_ store: InMemoryStore, isHonest: Bool = false) {
        self.store = store
        self.isHonest = isHonest
    }

    private func hashless(_ file: RemoteFile) -> RemoteFile {
        var file = file
        file.contentHash = nil
        return file
    }

    func account() async throws(StoreError) -> Account { try await store.account() }

    func noteConfirmed(_ file: RemoteFile) { store.noteConfirmed(file) }

    func list(_ folder: RemotePath, recursive: Bool) async throws(StoreError) -> Listing {
        var listing = try await store.list(folder, recursive: recursive)
        listing.entries = listing.entries.map { entry in
            entry.file.map { .file(hashless($0)) } ?? entry
        }
        return listing
    }

    func changes(since cursor: Cursor) async throws(StoreError) -> Listing {
        try await store.changes(since: cursor)
    }

    func waitForChanges(
        after cursor: Cursor, atMost longest: Duration
    ) async throws(StoreError) -> Bool {
        try await store.waitForChanges(after: cursor, atMost: longest)
    }

    func metadata(of path: RemotePath) async throws(StoreError) -> RemoteFile {
        hashless(try await store.metadata(of: path))
    }

    func fetch(_ path: RemotePath) async throws(StoreError) -> (file: RemoteFile, data: Data) {
        try await store.fetch(path)
    }

    func put(
        _ data: Data, at path: RemotePath, mode: RemoteWriteMode
    ) async throws(StoreError) -> RemoteFile {
        hashless(try await store.put(data, at: path, mode: mode))
    }

    func thumbnails(
        of paths: [RemotePath], size: RemoteThumbnailSize
    ) -> AsyncStream<(path: RemotePath, result: Result<Data, StoreError>)> {
        store.thumbnails(of: paths, size: size)
    }

    func delete(
        _ path: RemotePath, ifRevision revision: Revision?, contentHash: String?
    ) async throws(StoreError) {
        try await store.delete(path, ifRevision: revision)
    }

    func move(
        _ path: RemotePath, to destination: RemotePath
    ) async throws(StoreError) -> RemoteEntry {
        try await store.move(path, to: destination)
    }

    func createFolder(_ path: RemotePath) async throws(StoreError) {
        try await store.createFolder(path)
    }

    func search(
        _ query: String, in folder: RemotePath
    ) async throws(StoreError) -> [RemoteFile] {
        try await store.search(query, in: folder)
    }

    @MainActor func upload(
        fileAt file: URL, to path: RemotePath, mode: RemoteWriteMode, record: URL?,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        if !isHonest { try? Data("other".utf8).write(to: file) }
        return store.upload(
            fileAt: file, to: path, mode: mode, record: record, delegate: Hashless(delegate))
    }

    @MainActor func download(
        _ path: RemotePath, to file: URL, keepsPartialFile: Bool, replaces: Bool,
        delegate: any StoreTransferDelegate
    ) -> any StoreTransfer {
        store.download(
            path, to: file, keepsPartialFile: keepsPartialFile, replaces: replaces,
            delegate: Hashless(delegate))
    }

    /// Forwards a transfer's completion without the hash.
    @MainActor private final class Hashless: StoreTransferDelegate {
        private let next: any StoreTransferDelegate
        private var me: Hashless?

        init(_ next: any StoreTransferDelegate) {
            self.next = next
            me = self
        }

        func transfer(
            _ transfer: any StoreTransfer, didMove byteCount: Int64, ofExpected expected: Int64
        ) {
            next.transfer(transfer, didMove: byteCount, ofExpected: expected)
        }

        func transfer(
            _ transfer: any StoreTransfer, didFinishWith result: Result<RemoteFile, StoreError>
        ) {
            next.transfer(
                transfer,
                didFinishWith: result.map { file in
                    var file = file
                    file.contentHash = nil
                    return file
                })
            me = nil
        }
    }
}
