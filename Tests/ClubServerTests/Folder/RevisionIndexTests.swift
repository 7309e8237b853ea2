import DropboxAPI
import Testing

@testable import ClubServer

@Suite struct RevisionIndexTests {
    private func kept(
        _ number: Int, key: String = "/a.txt", size: Int64 = 1, at seconds: Int64 = 1000,
        _ ending: KeptRevision.Ending = .replaced
    ) -> KeptRevision {
        let signature = FileSignature(
            inode: UInt64(number), size: size, seconds: 0, nanoseconds: 0)
        return KeptRevision(
            id: "id:a", key: key, name: "a.txt", path: key, facts: FileFacts(signature: signature),
            blob: signature, ending: ending, kept: Timestamp(secondsSince1970: seconds))
    }

    private func drop(
        _ index: inout RevisionIndex, at key: String? = nil, now: Int64 = 1000
    ) -> [UInt64] {
        let excess = index.excess(at: key, limits: index.limits, now: now)
        for revision in excess { index.remove(revision.revision) }
        index.scheduleExpiry()
        return excess.map(\.facts.signature.inode)
    }

    @Test func thereAreSoManyOfAPath() {
        var limits = RevisionLimits()
        limits.countPerPath = 3
        var index = RevisionIndex(limits: limits)
        for number in 1...5 { index.add(kept(number)) }
        index.add(kept(9, key: "/b.txt"))
        #expect(drop(&index, at: "/a.txt") == [1, 2])
        #expect(index.history(key: "/a.txt").map(\.facts.signature.inode) == [5, 4, 3])
        #expect(index.history(key: "/b.txt").count == 1)
    }

    @Test func photosNeverPushNotesOut() {
        var limits = RevisionLimits()
        limits.noteByteLimit = 10
        limits.notes.byteCount = 80
        limits.larger.byteCount = 800
        var index = RevisionIndex(limits: limits)
        for number in 1...4 { index.add(kept(number, size: 10)) }
        for number in 11...18 { index.add(kept(number, key: "/p.jpg", size: 100)) }
        #expect(drop(&index).isEmpty)
        index.add(kept(19, key: "/p.jpg", size: 100))
        // An eighth more than must.
        #expect(drop(&index) == [11, 12])
        for number in 5...9 { index.add(kept(number, size: 10)) }
        #expect(drop(&index) == [1, 2])
        #expect(index.byteCount == 70 + 700)
    }

    @Test func whatWasJustDeletedIsNotTooMuchForAnHour() {
        var limits = RevisionLimits()
        limits.noteByteLimit = 10
        limits.notes.byteCount = 8
        limits.larger.byteCount = 800
        var index = RevisionIndex(limits: limits)
        index.add(kept(1, key: "/old.jpg", size: 100))
        for number in 11...20 { index.add(kept(number, size: 100, .deleted)) }
        for number in 21...22 { index.add(kept(number, size: 8, .deleted)) }
        #expect(drop(&index, now: 1000 + limits.sparedSeconds - 1) == [1])
        #expect(
            drop(&index, now: 1000 + limits.sparedSeconds) == [11, 12, 13, 21, 22])
    }

    @Test func aWriteTakesTheRoomOfTheOldestPhotosAndOfNotesBeyondTheirShare() {
        var limits = RevisionLimits()
        limits.noteByteLimit = 10
        limits.notes.byteCount = 20
        var index = RevisionIndex(limits: limits)
        for number in 1...3 { index.add(kept(number, size: 10)) }
        for number in 11...13 { index.add(kept(number, size: 100, .deleted)) }
        func removable(_ byteCount: Int64, exempt: UInt64? = nil) -> [UInt64] {
            index.removable(for: byteCount, limits: limits) {
                $0.facts.signature.inode == exempt
            }.map(\.facts.signature.inode)
        }
        #expect(removable(0).isEmpty)
        #expect(removable(100) == [11])
        #expect(removable(101) == [11, 12])
        #expect(removable(101, exempt: 11) == [12, 13])
        #expect(removable(310) == [11, 12, 13, 1])
        // A write that fails anyway costs nothing.
        #expect(removable(311).isEmpty)
    }

    @Test func notesAreKeptForLongerThanPhotos() {
        var index = RevisionIndex()
        index.add(kept(1, size: 100, at: 0))
        index.add(kept(2, size: 100 << 20, at: 0))
        #expect(drop(&index, now: 29 * 86_400).isEmpty)
        #expect(drop(&index, now: 31 * 86_400) == [2])
        #expect(drop(&index, now: 179 * 86_400).isEmpty)
        #expect(drop(&index, now: 181 * 86_400) == [1])
        #expect(index.byteCount == 0)
    }

    @Test func thereAreSoManyOfAll() {
        var limits = RevisionLimits()
        limits.count = 16
        var index = RevisionIndex(limits: limits)
        for number in 1...17 { index.add(kept(number, key: "/\(number)")) }
        #expect(drop(&index) == [1, 2, 3])
    }

    @Test func aDiskThatIsFullKeepsLittle() {
        let limits = RevisionLimits().fitting(freeByteCount: 300 << 20, keptByteCount: 100 << 20)
        #expect(limits.notes.byteCount == 100 << 20)
        #expect(limits.larger.byteCount == 100 << 20)
        // What was just deleted can be brought back.
        let full = RevisionLimits().fitting(freeByteCount: 0, keptByteCount: 4096)
        #expect(full.notes.byteCount == 1 << 20)
        #expect(full.larger.byteCount == 1024)
        let roomy = RevisionLimits().fitting(freeByteCount: 1 << 40, keptByteCount: 0)
        #expect(roomy.notes.byteCount == 256 << 20)
        #expect(roomy.larger.byteCount == 1 << 30)
    }

    @Test func aLineSaysAllOfARevision() {
        var revision = kept(7, key: "/f/a\tb.txt", size: 12)
        revision.order = 42
        for ending in [nil, KeptRevision.Ending.replaced, .deleted] {
            revision.ending = ending
            let text = RevisionLine.kept(revision).text
            #expect(RevisionLine(text.dropLast()) == .kept(revision))
            for count in 1..<text.count {
                #expect(RevisionLine(text.prefix(count).dropLast()) == nil)
            }
        }
        #expect(RevisionLine("-\t0123456789") == .dropped(revision: "0123456789"))
    }

    /// A revision names a file: a log that somebody has meddled with leads nowhere.
    @Test func aLineWhoseRevisionIsAPathIsNone() {
        let text = RevisionLine.kept(kept(1)).text
        let revision = kept(1).revision
        let foreign = text.replacing(revision, with: "../../../etc/x")
        #expect(RevisionLine(foreign.dropLast()) == nil)
    }
}
