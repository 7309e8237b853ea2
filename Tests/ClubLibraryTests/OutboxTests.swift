import ClubStore
import Foundation
import Testing

@testable import ClubLibrary

@Suite struct OutboxTests {
    let test = TestLibrary()

    private func write(_ text: String, at path: String, _ mode: RemoteWriteMode = .add) throws
        -> RemoteFile
    {
        try #require(
            try test.copy.enqueue(.write(Data(text.utf8), at: makePath(path), mode: mode)))
    }

    private func edit(_ file: RemoteFile, _ text: String) throws -> RemoteFile {
        try write(
            text, at: file.path.string, .update(file.revision, contentHash: file.contentHash))
    }

    private func waiting() throws -> [String] {
        try test.reopened().waitingChanges().map { change in
            switch change.action {
            case .write(let mode): "\(mode.columnName) \(change.path)"
            case .move(let destination): "move \(change.path) \(destination)"
            case .delete: "delete \(change.path)"
            }
        }
    }

    @Test func changesWaitInOrderWithTheirBasesAndBytes() throws {
        let hash = String(repeating: "a", count: 64)
        let old = try makeFile("/a.txt", revision: "r7", hash: hash)
        let edited = try edit(old, "two")
        _ = try write("new", at: "/b.txt")
        try test.copy.enqueue(.delete(makeFile("/c.txt")))
        try test.copy.enqueue(.move(makeFile("/d.txt"), to: makePath("/e.txt")))

        #expect(
            try waiting() == ["update /a.txt", "add /b.txt", "delete /c.txt", "move /d.txt /e.txt"])
        let first = try #require(try test.reopened().waitingChanges().first)
        #expect(first.action == .write(.update(old.revision, contentHash: hash)))
        #expect(first.file == edited)
        #expect(try test.copy.text(ofChange: first.id) == Data("two".utf8))
        #expect(try test.copy.string(of: edited) == "two")
    }

    @Test func ofManySavesTheLastIsSentOnTheFirstOnesBase() throws {
        let old = try makeFile("/a.txt", revision: "r7")
        let second = try edit(try edit(old, "two"), "three")
        #expect(try waiting() == ["update /a.txt"])
        let change = try #require(try test.copy.waitingChanges().first)
        #expect(change.base == .state(old.revision, contentHash: nil))
        #expect(try test.copy.string(of: second) == "three")
        // What was saved in between can be found.
        #expect(try test.copy.versions(of: old.path).count == 2)
    }

    @Test func aNewNoteThatIsEditedAndRenamedIsOneNewNote() throws {
        let new = try edit(try write("one", at: "/a.txt"), "two")
        let moved = try #require(
            try test.copy.enqueue(.move(new, to: makePath("/b.txt"))))
        #expect(try waiting() == ["add /b.txt"])
        #expect(try test.copy.string(of: moved) == "two")
        try test.copy.enqueue(.delete(moved))
        #expect(try waiting() == [])
        let deletion = try #require(try test.copy.deletions().first)
        #expect(deletion.hasText && deletion.isOwn)
    }

    @Test func aNoteThatIsEditedMovedAndDeletedIsDeletedAsItWas() throws {
        let old = try makeFile("/a.txt", revision: "r7")
        let moved = try #require(
            try test.copy.enqueue(.move(edit(old, "two"), to: makePath("/b.txt"))))
        #expect(try waiting() == ["update /a.txt", "move /a.txt /b.txt"])
        let again = try #require(try test.copy.enqueue(.move(moved, to: makePath("/c.txt"))))
        #expect(try waiting() == ["update /a.txt", "move /a.txt /c.txt"])
        try test.copy.enqueue(.delete(again))
        #expect(try waiting() == ["delete /a.txt"])
        #expect(
            try test.copy.waitingChanges().first?.base == .state(old.revision, contentHash: nil))
    }

    @Test func aMoveBackIsNoMove() throws {
        let old = try makeFile("/a.txt", revision: "r7")
        try test.copy.replaceListing(with: makeListing([old]))
        let moved = try #require(try test.copy.enqueue(.move(old, to: makePath("/b.txt"))))
        #expect(try test.copy.enqueue(.move(moved, to: old.path)) == old)
        #expect(try waiting() == [])
    }

    /// One that was never in a listing, and one that the club has in an older state.
    @Test func aMoveBackOfWhatWaitsItselfIsNoMoveEither() throws {
        let old = try makeFile("/a.txt", revision: "r7")
        try test.copy.replaceListing(with: makeListing([old]))
        for file in [try write("new", at: "/m.txt"), try edit(old, "a longer text")] {
            // It may have arrived.
            _ = try test.copy.beginSending(try #require(file.revision.waitingChange))
            let target = try makePath("/f/\(file.name)")
            let moved = try #require(try test.copy.enqueue(.move(file, to: target)))
            let back = try #require(try test.copy.enqueue(.move(moved, to: file.path)))
            #expect(back.path == file.path && back.revision == file.revision)
            #expect(back.byteCount == file.byteCount)
        }
        #expect(try waiting() == ["add /m.txt", "update /a.txt"])
    }

    @Test func whatMayHaveArrivedIsNotTakenUpIntoWhatFollows() throws {
        let old = try makeFile("/a.txt", revision: "r7")
        let second = try edit(old, "two")
        let id = try #require(second.revision.waitingChange)
        #expect(try test.copy.beginSending(id)?.attempts == 1)
        let third = try edit(second, "three")
        #expect(try waiting() == ["update /a.txt", "update /a.txt"])
        let follower = try #require(third.revision.waitingChange)
        // It cannot go before the one it builds on.
        #expect(try test.copy.beginSending(follower) == nil)

        // Kept beside another note, say, under another name.
        let sent = try makeFile("/a 2.txt", "two", revision: "r8")
        let change = try #require(try test.copy.waitingChanges().first)
        try test.copy.complete(change, with: sent)
        let last = try #require(try test.copy.waitingChanges().first)
        #expect(last.path == sent.path)
        guard case .state(sent.revision, let hash?) = last.base else {
            Issue.record("\(String(describing: last.base))")
            return
        }
        #expect(
            try test.copy.baseText(
                at: sent.path, revision: sent.revision, hash: hash) == Data("two".utf8))
        #expect(try test.copy.sentFile(for: second.revision)?.revision == sent.revision)
        // An editor that still has the old state saves on the new one.
        let late = try edit(second, "four")
        #expect(late.path == sent.path)
    }

    @Test func whatWasOnItsWayWaitsAfterAKill() throws {
        let file = try write("one", at: "/a.txt")
        let id = try #require(file.revision.waitingChange)
        _ = try test.copy.beginSending(id)
        let next = test.reopened()
        #expect(try next.waitingChanges().first?.isSending == true)
        try next.recoverInterrupted()
        let change = try #require(try next.waitingChanges().first)
        #expect(!change.isSending && change.attempts == 1)
    }

    @Test func aChangeIsTakenBackWithWhatBuildsOnIt() throws {
        let old = try makeFile("/a.txt", revision: "r7")
        let moved = try #require(
            try test.copy.enqueue(.move(edit(old, "two"), to: makePath("/b.txt"))))
        _ = try write("other", at: "/c.txt")
        _ = moved
        let first = try #require(try test.copy.waitingChanges().first)
        #expect(try test.copy.takeBack(first.id).count == 2)
        #expect(try waiting() == ["add /c.txt"])
        #expect(try test.copy.versions(of: old.path).contains { $0.isOwn })
        #expect(throws: LibraryError.noSuchChange) { try test.copy.takeBack(first.id) }
        let last = try #require(try test.copy.waitingChanges().first)
        // Another program sends it; when that is killed, the change can be taken back.
        let lock = try #require(try OutboxLock(of: test.copy))
        _ = try test.copy.beginSending(last.id)
        #expect(throws: LibraryError.noSuchChange) { try test.copy.takeBack(last.id) }
        withExtendedLifetime(lock) {}
    }

    @Test func aChangeWhoseSenderWasKilledCanBeTakenBack() throws {
        _ = try write("one", at: "/a.txt")
        let change = try #require(try test.copy.waitingChanges().first)
        _ = try test.copy.beginSending(change.id)
        #expect(try test.copy.takeBack(change.id).map(\.id) == [change.id])
    }

    @Test(arguments: ["add", "moved", "edited in the club"])
    func theTrashHasTheTextThatIsListedNoMoreAfterItWasTakenBack(kind: String) throws {
        let changed: RemoteFile
        switch kind {
        case "add": changed = try edit(try write("one", at: "/a.txt"), "two")
        case "moved":
            let made = try write("two", at: "/a.txt")
            changed = try #require(
                try test.copy.enqueue(.move(made, to: makePath("/b.txt"))))
        default: changed = try edit(makeFile("/a.txt", revision: "r7"), "two")
        }
        for change in try test.copy.waitingChanges() {
            _ = try? test.copy.takeBack(change.id)
        }
        #expect(try waiting().isEmpty)
        let gone = try test.reopened().trash()
        #expect(gone.map(\.file.path) == [changed.path])
        #expect(try test.copy.string(of: try #require(gone.first).file) == "two")
    }

    @Test(arguments: [false, true])
    func whatIsStillListedIsNotInTheTrashAfterItWasTakenBack(isMoved: Bool) throws {
        let old = try makeFile("/a.txt", revision: "r7")
        try test.copy.replaceListing(with: makeListing([old], cursor: "c"))
        let edited = try edit(old, "two")
        if isMoved { try test.copy.enqueue(.move(edited, to: makePath("/b.txt"))) }
        try test.copy.takeBack(try #require(try test.copy.waitingChanges().first).id)
        #expect(try test.copy.trash().isEmpty)
        #expect(try test.copy.versions(of: old.path).contains { $0.isOwn })
    }

    @Test func onlyOneProgramSends() throws {
        do {
            let lock = try #require(try OutboxLock(of: test.copy))
            #expect(try OutboxLock(of: test.copy) == nil)
            withExtendedLifetime(lock) {}
        }
        #expect(try OutboxLock(of: test.copy) != nil)
    }

    @Test func whatWasSentIsListedAndCanBeFound() throws {
        let file = try write("one word", at: "/a.txt")
        let change = try #require(try test.copy.waitingChanges().first)
        let sent = try makeFile("/a.txt", "one word", revision: "r1")
        try test.copy.complete(change, with: sent)
        #expect(try test.copy.listing() == nil)
        #expect(try test.copy.string(of: sent) == "one word")
        #expect(try test.copy.candidates(for: ["word"]).count == 1)
        #expect(try test.copy.waitingChanges().isEmpty)
        #expect(try test.copy.sentFile(for: file.revision)?.path == sent.path)
    }
}

// MARK: - Order, names and numbers

extension OutboxTests {
    @Test func aLockThatCannotBeMadeIsAnErrorAndNobodyElse() throws {
        _ = try write("one", at: "/a.txt")
        try FileManager.default.createDirectory(
            at: test.folder.appendingPathComponent("outbox.lock"),
            withIntermediateDirectories: true)
        #expect(throws: LibraryError.self) { try OutboxLock(of: test.copy) }
    }

    /// A new note has taken the name that the move sets free: it must not be moved in its place.
    @Test func aMoveThatFreesAUsedNameKeepsItsPlace() throws {
        let old = try makeFile("/a.txt", revision: "r7")
        let moved = try #require(try test.copy.enqueue(.move(old, to: makePath("/b.txt"))))
        _ = try write("new", at: "/a.txt")
        let again = try #require(try test.copy.enqueue(.move(moved, to: makePath("/c.txt"))))
        #expect(
            try waiting() == ["move /a.txt /b.txt", "add /a.txt", "move /b.txt /c.txt"])
        try test.copy.enqueue(.delete(again))
        #expect(try waiting() == ["move /a.txt /b.txt", "add /a.txt", "delete /b.txt"])
    }

    @Test func theBaseOfWhatWaitsOutlivesManySaves() throws {
        let old = try makeFile("/a.txt", "base", revision: "r7")
        try test.copy.keep("base", of: old)
        var file = try #require(try test.copy.text(of: old)).file
        for number in 0..<60 { file = try edit(file, "text \(number)") }
        let change = try #require(try test.copy.waitingChanges().first)
        guard case .state(let revision, let hash) = change.base else {
            Issue.record("\(String(describing: change.base))")
            return
        }
        let base = try test.copy.baseText(at: old.path, revision: revision, hash: hash)
        #expect(base == Data("base".utf8))
        #expect(try test.copy.versions(of: old.path).count < 60)
    }

    /// An editor that holds the number of a change that another note's change has by now.
    @Test func aNumberThatAnotherNoteHasIsNotBuiltOn() throws {
        let other = try edit(try makeFile("/b.txt", revision: "r7"), "theirs")
        var mine = try makeFile("/a.txt")
        mine.revision = other.revision
        let saved = try edit(mine, "mine")
        #expect(saved.path == mine.path)
        mine.revision = other.revision
        try test.copy.enqueue(.delete(mine))
        #expect(try waiting() == ["update /b.txt", "add /a.txt", "delete /a.txt"])
        let change = try #require(try test.copy.waitingChanges().first)
        #expect(try test.copy.text(ofChange: change.id) == Data("theirs".utf8))
    }

    @Test func noNumberIsGivenTwiceWhenTheDatabaseIsLost() throws {
        let file = try write("one", at: "/a.txt")
        let sent = try write("sent", at: "/b.txt")
        let change = try #require(try test.copy.waitingChanges().last)
        try test.copy.complete(change, with: makeFile("/b.txt", "sent"))
        // As in a database of long ago, and with the clock set back since.
        let last = Int64(1) << 40
        let database = try Database(path: test.database.path)
        try database.execute("UPDATE sqlite_sequence SET seq = \(last) WHERE name = 'outbox'")
        try database.execute("PRAGMA user_version = 99")
        let next = test.reopened()
        #expect(next.takeNotice() != nil)
        #expect(try next.sentFile(for: sent.revision)?.path == sent.path)
        let id = try next.enqueue(.write(Data(), at: makePath("/c.txt"), mode: .add))?
            .revision.waitingChange
        #expect(try #require(id) > last)

        // Nothing could be read of the last one.
        try FileManager.default.removeItem(at: test.folder)
        let fresh = try test.reopened().enqueue(
            .write(Data(), at: makePath("/c.txt"), mode: .add))
        let earlier = try #require(file.revision.waitingChange)
        #expect(earlier > 1_000_000_000)
        #expect(try #require(fresh?.revision.waitingChange) >= earlier)
    }
}
