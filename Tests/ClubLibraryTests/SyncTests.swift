import ClubStore
import ClubStoreTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubLibrary

@Suite struct SyncTests {
    let store = InMemoryStore()
    let test = TestLibrary()

    private func send() async throws -> [SyncEvent] {
        let events = Mutex<[SyncEvent]>([])
        try await OutboxSender(test.copy, to: store).run({ event in
            events.withLock { $0.append(event) }
        })
        return events.withLock { $0 }
    }

    private func see(_ text: String, at path: String) async throws -> RemoteFile {
        try store.plant(text, at: path)
        let found = try await store.fetch(makePath(path))
        try test.copy.keep([found])
        return try #require(try test.copy.text(of: found.file)).file
    }

    private func edit(_ file: RemoteFile, _ text: String) throws {
        try test.copy.enqueue(
            .write(
                Data(text.utf8), at: file.path,
                mode: .update(file.revision, contentHash: file.contentHash)))
    }

    private func text(_ path: String) -> String? {
        store.contents(of: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func sendsChangesInTheirOrder() async throws {
        let file = try await see("one", at: "/a.txt")
        try test.copy.enqueue(.move(file, to: makePath("/b.txt")))
        try test.copy.enqueue(.write(Data("new".utf8), at: makePath("/a.txt"), mode: .add))
        #expect(try await send().count == 2)
        #expect(text("/a.txt") == "new")
        #expect(text("/b.txt") == "one")
        #expect(try test.copy.waitingChanges().isEmpty)
    }

    @Test func anEditAfterAMoveFollowsTheFile() async throws {
        let file = try await see("one", at: "/a.txt")
        let moved = try #require(try test.copy.enqueue(.move(file, to: makePath("/b.txt"))))
        try edit(moved, "two")
        // Somebody has taken the name meanwhile.
        try store.plant("theirs", at: "/b.txt")
        _ = try await send()
        #expect(text("/b.txt") == "theirs")
        #expect(text("/b (my version).txt") == "two")
        #expect(text("/a.txt") == nil)
    }

    @Test func changesOfDifferentLinesAreMerged() async throws {
        let file = try await see("a\nb\nc\n", at: "/a.txt")
        try edit(file, "mine\nb\nc\n")
        try store.plant("a\nb\ntheirs\n", at: "/a.txt")
        let events = try await send()
        guard case .merged = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(text("/a.txt") == "mine\nb\ntheirs\n")
        // Both originals can be found again.
        let seen = try test.copy.versions(of: file.path).map {
            try test.copy.text(ofVersion: $0.id).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(
            Set(seen) == ["a\nb\nc\n", "mine\nb\nc\n", "a\nb\ntheirs\n", "mine\nb\ntheirs\n"])
    }

    @Test func changesOfTheSameLineAreBothKept() async throws {
        let file = try await see("a\n", at: "/a.txt")
        try edit(file, "mine\n")
        try store.plant("theirs\n", at: "/a.txt")
        _ = try await send()
        #expect(text("/a.txt") == "theirs\n")
        #expect(text("/a (my version).txt") == "mine\n")
    }

    @Test func aDeletionSparesWhatSomebodyHasChanged() async throws {
        let file = try await see("a", at: "/a.txt")
        try test.copy.enqueue(.delete(file))
        try store.plant("theirs", at: "/a.txt")
        guard case .notDeleted = try await send().first else {
            Issue.record("deleted")
            return
        }
        #expect(text("/a.txt") == "theirs")
    }

    @Test func whatIsDeletedUnseenIsReadFirst() async throws {
        let file = try store.plant("words", at: "/a.txt")
        try test.copy.enqueue(.delete(file))
        _ = try await send()
        #expect(text("/a.txt") == nil)
        #expect(try test.copy.string(of: file) == "words")
    }

    @Test func aNoteThatSomebodyHasDeletedComesBackWithTheEdit() async throws {
        let file = try await see("a", at: "/a.txt")
        try edit(file, "mine")
        try store.uproot("/a.txt")
        _ = try await send()
        #expect(text("/a.txt") == "mine")
    }

    @Test func aRefusedChangeHoldsUpOnlyWhatBuildsOnIt() async throws {
        try test.copy.enqueue(.write(Data("a".utf8), at: makePath("/a.txt"), mode: .add))
        try test.copy.enqueue(.write(Data("b".utf8), at: makePath("/b.txt"), mode: .add))
        store.failNext(.put, with: .overQuota)
        _ = try await send()
        #expect(text("/b.txt") == "b")
        let left = try test.copy.waitingChanges()
        #expect(left.map(\.path.string) == ["/a.txt"])
        #expect(left.first?.problem?.contains("overQuota") == true)
        try test.copy.clearProblems()
        _ = try await send()
        #expect(text("/a.txt") == "a")
    }

    /// A refusal without a reason does not mean that the name is taken: the note keeps its own.
    @Test func aMoveThatIsRefusedWaitsUnderItsName() async throws {
        let file = try await see("a", at: "/a.txt")
        try test.copy.enqueue(.move(file, to: makePath("/b.txt")))
        store.failNext(.move, with: .refused)
        _ = try await send()
        #expect(text("/a.txt") == "a")
        #expect(store.calls.count { $0.operation == .move } == 1)
        #expect(try test.copy.waitingChanges().map { $0.problem != nil } == [true])
        try test.copy.clearProblems()
        _ = try await send()
        #expect(text("/b.txt") == "a")
    }

    /// A server that changes what it stores would do so under each next name.
    @Test func whatTheClubHasStoredOtherwiseGetsNoMoreCopies() async throws {
        try test.copy.enqueue(.write(Data("a".utf8), at: makePath("/a.txt"), mode: .create))
        for _ in 0..<2 {
            store.failNext(.put, with: .conflict(serverRevision: nil), wasAccepted: true)
        }
        _ = try await send()
        // Under its own name, and under one more: somebody else may have taken the first in the same moment.
        #expect(store.calls.count { $0.operation == .put } == 2)
        #expect(try test.copy.waitingChanges().map { $0.problem != nil } == [true])
    }

    @Test(arguments: [
        StoreError.Code.offline, .timedOut, .rateLimited(retryAfter: nil), .serverError,
        .serverUnavailable(retryAfter: nil), .unauthorized,
    ])
    func whenTheClubCannotBeAskedAllWaits(code: StoreError.Code) async throws {
        try test.copy.enqueue(.write(Data("a".utf8), at: makePath("/a.txt"), mode: .add))
        try test.copy.enqueue(.write(Data("b".utf8), at: makePath("/b.txt"), mode: .add))
        store.failNext(.put, with: code)
        await #expect(throws: StoreError.self) { _ = try await send() }
        #expect(try test.reopened().waitingChanges().map(\.problem) == [nil, nil])
        _ = try await send()
        #expect(text("/a.txt") == "a" && text("/b.txt") == "b")
    }

    @Test func fetchesTheTextsThatWereNeverSeen() async throws {
        for number in 0..<100 { try store.plant("text \(number)", at: "/\(number).txt") }
        try store.plant(Data(count: 2 << 20), at: "/large.txt")
        store.failNext(.fetch, with: .notFound)
        let files = try await store.list(.root, recursive: true).files
        try await TextFetcher(test.copy, from: store).run(files)
        let missing = try test.copy.missingTexts(among: files)
        #expect(missing.count == 2)
        #expect(missing.contains { $0.name == "large.txt" })
        let before = store.calls.count
        try await TextFetcher(test.copy, from: store).run(files.filter { !missing.contains($0) })
        #expect(store.calls.count == before)
    }
}

// MARK: - Three members

@Suite struct ThreeMembersTests {
    /// Members who write, rename and delete at random, through cuts and refusals of every kind, and offline
    /// for a while: in the end all have the same notes, and every word is in one of them, or among the
    /// versions of a note that its writer or somebody else has deleted.
    @Test(arguments: 0..<12)
    func endEqualWithEveryWordSomewhere(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = InMemoryStore()
        let members = (0..<3).map { _ in TestLibrary() }
        var written: [String] = []
        var deleted = [Set<RemotePath>](repeating: [], count: 3)
        for round in 0..<60 {
            let number = Int.random(in: 0..<3, using: &random)
            let copy = members[number].copy
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let path = try act(
                    copy, word: "word\(number)x\(written.count)", &random, &written)
                if let path { deleted[number].insert(path) }
            }
            // The others stay offline; this one gets through, or half through.
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                let operation: StoreError.Operation =
                    [.put, .fetch, .move, .delete, .list].randomElement(using: &random) ?? .put
                let code: StoreError.Code =
                    [
                        .offline, .timedOut, .rateLimited(retryAfter: nil), .serverError,
                        .serverUnavailable(retryAfter: nil), .badAnswer,
                    ].randomElement(using: &random) ?? .offline
                store.failNext(operation, with: code)
            }
            // Some of them break off just there, as a killed program does.
            try? await sync(copy, store)
            if round % 7 == 0 { try copy.recoverInterrupted() }
        }
        for _ in 0..<20 {
            for member in members {
                try member.copy.clearProblems()
                try? await sync(member.copy, store)
            }
        }
        let listings = try members.map {
            try Set($0.copy.listing()?.entries.compactMap(\.file) ?? [])
        }
        #expect(listings[0] == listings[1] && listings[1] == listings[2])
        for member in members { #expect(try member.copy.waitingChanges().isEmpty) }

        var texts: [String] = []
        for file in listings[0] {
            let data = try #require(store.contents(of: file.path.string))
            texts.append(String(decoding: data, as: UTF8.self))
        }
        for (number, member) in members.enumerated() {
            let recorded = try member.copy.deletions().map(\.file.path)
            for path in deleted[number].union(recorded) {
                for version in try member.copy.versions(of: path) {
                    let data = try member.copy.text(ofVersion: version.id) ?? Data()
                    texts.append(String(decoding: data, as: UTF8.self))
                }
            }
        }
        let all = texts.joined(separator: "\n")
        for word in written { #expect(all.contains(word + ";"), "\(word), seed \(seed)") }
    }

    /// One thing a member does with what stands on the screen: the listing with what waits.
    ///
    /// - Returns: What was deleted, when something was.
    private func act(
        _ copy: LocalCopy, word: String, _ random: inout SeededGenerator, _ written: inout [String]
    ) throws -> RemotePath? {
        var shown: [RemotePath: RemoteFile] = [:]
        for file in try copy.listing()?.entries.compactMap(\.file) ?? [] { shown[file.path] = file }
        for change in try copy.waitingChanges() {
            shown[change.path] = nil
            if let file = change.file { shown[file.path] = file }
        }
        let files = shown.values.sorted { $0.path < $1.path }
        let name = "/n\(Int.random(in: 0..<6, using: &random)).txt"
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3:
            let path = try makePath(name)
            guard shown[path] == nil else { return nil }
            try copy.enqueue(.write(Data("\(word);\n".utf8), at: path, mode: .add))
            written.append(word)
        case 3..<8:
            guard let file = files.randomElement(using: &random),
                let (seen, data) = try copy.text(of: file)
            else { return nil }
            var lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(
                String.init)
            lines.insert("\(word);", at: Int.random(in: 0...lines.count, using: &random))
            let text = Data(lines.map { $0 + "\n" }.joined().utf8)
            try copy.enqueue(
                .write(
                    text, at: file.path,
                    mode: .update(seen.revision, contentHash: seen.contentHash)))
            written.append(word)
        case 8:
            guard let file = files.randomElement(using: &random), shown[try makePath(name)] == nil
            else { return nil }
            try copy.enqueue(.move(file, to: makePath(name)))
        default:
            guard let file = files.randomElement(using: &random), try copy.text(of: file) != nil
            else { return nil }
            try copy.enqueue(.delete(file))
            return file.path
        }
        return nil
    }

    private func sync(_ copy: LocalCopy, _ store: InMemoryStore) async throws {
        try await OutboxSender(copy, to: store).run()
        let listing = try await store.list(.root, recursive: true)
        try copy.replaceListing(with: listing)
        try await TextFetcher(copy, from: store).run(listing.files)
    }
}

// MARK: - Chains

extension SyncTests {
    /// What is done to a file after a rename is based on what was seen, not on what the rename has found.
    @Test func anEditAfterAMoveDoesNotReplaceWhatSomebodyHasWrittenBefore() async throws {
        let file = try await see("a\nb\nc\n", at: "/a.txt")
        let moved = try #require(try test.copy.enqueue(.move(file, to: makePath("/b.txt"))))
        try edit(moved, "mine\nb\nc\n")
        try store.plant("a\nb\ntheirs\n", at: "/a.txt")
        _ = try await send()
        #expect(text("/b.txt") == "mine\nb\ntheirs\n")
    }

    /// An editor was opened on the new name before it was sent, and saves afterwards.
    @Test func anEditorThatWasOpenDuringAMoveDoesNotReplaceWhatSomebodyHasWrittenBefore()
        async throws
    {
        let file = try await see("a\nb\nc\n", at: "/a.txt")
        let moved = try #require(try test.copy.enqueue(.move(file, to: makePath("/b.txt"))))
        try store.plant("a\nb\ntheirs\n", at: "/a.txt")
        _ = try await send()
        try edit(moved, "mine\nb\nc\n")
        _ = try await send()
        #expect(text("/b.txt") == "mine\nb\ntheirs\n")
    }

    @Test func anEditAfterAMergeDoesNotReplaceWhatCameIn() async throws {
        let file = try await see("a\nb\nc\n", at: "/a.txt")
        let first = try #require(
            try test.copy.enqueue(
                .write(
                    Data("mine\nb\nc\n".utf8), at: file.path,
                    mode: .update(file.revision, contentHash: file.contentHash)),
                wasAttempted: true))
        try edit(first, "mine\nmore\nb\nc\n")
        #expect(try test.copy.waitingChanges().count == 2)
        try store.plant("a\nb\ntheirs\n", at: "/a.txt")
        _ = try await send()
        #expect(text("/a.txt") == "mine\nmore\nb\ntheirs\n")
        // So does an editor that still holds what it saved first.
        try edit(first, "mine\nb\nc\nlate\n")
        _ = try await send()
        let all = (text("/a.txt") ?? "") + (text("/a (my version).txt") ?? "")
        #expect(all.contains("theirs") && all.contains("more") && all.contains("late"))
    }

    @Test func aDeletionOfWhatIsGoneSparesWhatHasItsName() async throws {
        let file = try await see("a", at: "/a.txt")
        let moved = try #require(try test.copy.enqueue(.move(file, to: makePath("/b.txt"))))
        let id = try #require(moved.revision.waitingChange)
        // Tried once, so that the deletion does not take it up.
        _ = try test.copy.beginSending(id)
        try test.copy.endSending(id)
        try test.copy.enqueue(.delete(moved))
        try store.uproot("/a.txt")
        try store.plant("theirs", at: "/c.txt")
        _ = try await send()
        #expect(text("/c.txt") == "theirs")
        #expect(try test.copy.waitingChanges().isEmpty)
    }

    @Test func aRenamedNoteIsNotInTheTrash() async throws {
        let file = try await see("a", at: "/a.txt")
        try test.copy.record([.file(file)])
        try test.copy.enqueue(.move(file, to: makePath("/b.txt")))
        _ = try await send()
        #expect(try test.copy.deletions().isEmpty)
    }
}

// MARK: - Locks, and what is replaced on demand

extension SyncTests {
    /// The renaming that could not be done must not take the other member's deletion out of the trash.
    @Test func whatSomebodyDeletedBeforeItWasRenamedIsInTheTrash() async throws {
        let file = try await see("one", at: "/a.txt")
        try test.copy.record([.file(file)])
        try test.copy.enqueue(.move(file, to: makePath("/b.txt")))
        try store.uproot("/a.txt")
        try test.copy.record([.deleted(file.path)])
        let events = try await send()
        guard case .gone = events.first else {
            Issue.record("\(events)")
            return
        }
        let deletions = try test.copy.deletions()
        #expect(deletions.map(\.file.path) == [file.path])
        #expect(deletions.first?.isOwn == false)
    }

    /// The club may report a deletion before it confirms it. What is brought back is what was there last.
    @Test(arguments: [false, true])
    func theTrashHasTheLastTextWhenTheClubReportsItFirst(isReported: Bool) async throws {
        let file = try await see("one", at: "/a.txt")
        try test.copy.record([.file(file)])
        try edit(file, "two")
        let shown = try #require(try test.copy.waitingChanges().first?.file)
        try test.copy.enqueue(.delete(shown))
        let next = try #require(try test.copy.waitingChanges().last)
        let change = try #require(try test.copy.beginSending(next.id))
        if isReported { try test.copy.record([.deleted(file.path)]) }
        try test.copy.complete(change, with: nil)
        if !isReported { try test.copy.record([.deleted(file.path)]) }
        let deletions = try test.copy.deletions()
        #expect(deletions.count == 1)
        #expect(deletions.first?.file.contentHash == LocalCopy.hash(of: Data("two".utf8)))
        #expect(deletions.first?.isOwn == true)
    }

    @Test func earlierTextsGoWithARenamedNote() async throws {
        let old = try await see("one", at: "/a.txt")
        let file = try await see("two", at: "/a.txt")
        try test.copy.enqueue(.move(file, to: makePath("/b.txt")))
        _ = try await send()
        let texts = try test.copy.versions(of: makePath("/b.txt")).map(\.file.contentHash)
        #expect(Set(texts) == [old.contentHash, file.contentHash])
        #expect(try test.copy.versions(of: makePath("/a.txt")).isEmpty)
    }

    /// The note that had the name before was deleted, and must come back.
    @Test func theTextOfADeletedNoteStaysWhenAnotherOfItsNameIsRenamed() async throws {
        let old = try await see("old", at: "/a.txt")
        try test.copy.record([.file(old)])
        try store.uproot("/a.txt")
        try test.copy.record([.deleted(old.path)])
        let new = try await see("new", at: "/a.txt")
        try test.copy.record([.file(new)])
        try test.copy.recordMove(
            of: new.path, in: new.revision,
            to: RemoteFile(
                path: makePath("/b.txt"), revision: new.revision, byteCount: 3,
                modified: new.modified, contentHash: new.contentHash))
        let texts = try test.copy.versions(of: old.path)
        #expect(texts.map(\.file.contentHash) == [old.contentHash])
    }

    /// It was sent, and this computer could not record that: the next attempt finds it.
    @Test func whatHasArrivedWithoutBeingRecordedIsNotSentTwice() async throws {
        try test.copy.enqueue(.write(Data("one".utf8), at: makePath("/a.txt"), mode: .create))
        let change = try #require(try test.copy.waitingChanges().first)
        _ = try test.copy.beginSending(change.id)
        try store.plant("one", at: "/a.txt")
        try test.copy.endSending(change.id)
        let events = try await send()
        guard case .sent = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(text("/a (my version).txt") == nil)
    }

    @Test func aLockedNoteHoldsUpNothingElse() async throws {
        let file = try await see("a", at: "/a.txt")
        try edit(file, "mine")
        try test.copy.enqueue(.write(Data("b".utf8), at: makePath("/b.txt"), mode: .add))
        store.failNext(.put, with: .locked)
        let outcome = try await OutboxSender(test.copy, to: store).run()
        #expect(outcome == .blocked)
        #expect(text("/b.txt") == "b")
        #expect(try test.copy.waitingChanges().map(\.problem) == [nil])
        #expect(try await OutboxSender(test.copy, to: store).run() == .finished)
        #expect(text("/a.txt") == "mine")
    }

    @Test func whatHasToFollowALockedOneWaitsToo() async throws {
        let file = try await see("a", at: "/a.txt")
        try test.copy.enqueue(.move(file, to: makePath("/b.txt")))
        try test.copy.enqueue(.write(Data("new".utf8), at: makePath("/a.txt"), mode: .add))
        store.failNext(.move, with: .locked)
        _ = try await send()
        #expect(try test.copy.waitingChanges().count == 2)
        _ = try await send()
        #expect(text("/a.txt") == "new" && text("/b.txt") == "a")
    }

    /// The person agreed to replace one text; while that waited, somebody wrote another one.
    @Test func whatIsReplacedWithoutHavingBeenSeenIsKept() async throws {
        _ = try await see("one", at: "/a.txt")
        try test.copy.enqueue(.write(Data("mine".utf8), at: makePath("/a.txt"), mode: .overwrite))
        try store.plant("theirs", at: "/a.txt")
        _ = try await send()
        #expect(text("/a.txt") == "mine")
        let kept = try test.copy.versions(of: makePath("/a.txt")).map {
            try test.copy.text(ofVersion: $0.id).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(kept.contains("theirs"))
    }
}
