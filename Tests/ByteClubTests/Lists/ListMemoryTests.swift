import ClubStore
import ClubStoreTestSupport
import Foundation
import Testing

@testable import ByteClub
@testable import ClubAccess

/// What the lists remember of what was deleted.
@MainActor @Suite struct ListMemoryTests {
    private func record(
        _ number: Int, _ kind: FileKind = .notes, in group: UUID
    ) throws -> DeletedFile {
        DeletedFile(
            RemoteFile(
                path: try RemotePath.root.appending("\(number).txt"),
                revision: Revision(rawValue: "\(number)"), byteCount: 1, modified: .distantPast),
            kind: kind, at: .distantPast, group: group)
    }

    @Test func whatWasDeletedTogetherIsForgottenTogether() throws {
        let memory = ListMemory(folder: nil)
        let (first, second) = (UUID(), UUID())
        for number in 0..<150 {
            memory.remember(try record(number, in: first), Data("text \(number)".utf8))
        }
        #expect(memory.lastDeleted(.notes).count == 150)
        #expect(memory.deletedBytes.count == 150)
        memory.remember(try record(0, in: second), Data("last".utf8))
        #expect(memory.lastDeleted(.notes).map(\.group) == [second])
        #expect(memory.deletedBytes.values.map { $0 } == [Data("last".utf8)])
        memory.forget(try #require(memory.lastDeleted(.notes).first))
        #expect(memory.lastDeleted(.notes).isEmpty)
        #expect(memory.deletedBytes.isEmpty)
    }

    @Test func photosDoNotPushOutNotes() throws {
        let memory = ListMemory(folder: nil)
        memory.remember(try record(1, in: UUID()))
        for number in 0..<150 { memory.remember(try record(number, .photos, in: UUID())) }
        #expect(memory.lastDeleted(.notes).count == 1)
        #expect(memory.choices.deleted.count { $0.kind == .photos } <= DeletedFile.limit)
    }

    @Test func whatIsWrittenCanBeReadAgain() throws {
        var choices = ListChoices(sorts: ["notes": .size])
        let old = UUID()
        let new = UUID()
        choices.deleted =
            try (0..<100).map { try record($0, in: old) }
            + (0..<9000).map { try record($0, in: new) }
        let data = try #require(choices.encoded(atMost: 1 << 20))
        #expect(data.count <= 1 << 20)
        let read = try JSONDecoder().decode(ListChoices.self, from: data)
        #expect(read.sorts == choices.sorts)
        #expect(read.deleted.last == choices.deleted.last)
        #expect(!read.deleted.contains { $0.group == old })
    }

    /// Two windows of one club: neither takes from the other.
    @Test func twoWindowsAddToWhatIsKept() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lists-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        func open() async -> ListMemory {
            let memory = ListMemory(folder: folder)
            await memory.load()
            return memory
        }
        func file(_ number: Int, _ revision: String) throws -> RemoteFile {
            RemoteFile(
                path: try RemotePath.root.appending("\(number).txt"),
                revision: Revision(rawValue: revision), byteCount: 1, modified: .distantPast)
        }
        let old = try record(1, in: UUID())
        let (start, base) = (await open(), try (0..<4).map { try file($0, "old") })
        await start.seeAll(ClubContents())
        start.see(base)
        start.remember(old)
        await start.finish()

        let (left, right) = (await open(), await open())
        let (one, two) = (try record(2, in: UUID()), try record(3, .photos, in: UUID()))
        left.see([try file(0, "new")])
        left.setSort(.size, of: .notes)
        left.remember(one)
        await left.finish()
        right.see([try file(1, "new")])
        right.setSort(.change, of: .photos)
        right.forget(old)
        right.remember(two)
        await right.finish()
        left.see([try file(2, "new")])
        await left.finish()

        let last = await open()
        #expect(try (0..<3).allSatisfy { !last.seen.isUnread(try file($0, "new")) })
        #expect(last.seen.isUnread(try file(3, "new")))
        #expect(!last.seen.isUnread(try file(3, "old")))
        #expect(last.sort(of: .notes) == .size)
        #expect(last.sort(of: .photos) == .change)
        #expect(Set(last.choices.deleted) == [one, two])
    }

    @Test func whoComesBackToAClubFindsTheSameMemory() async throws {
        let memories = ListMemories()
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let memory = memories.memory(in: folder)
        memory.remember(try record(1, in: UUID()), Data("text".utf8))
        #expect(memories.memory(in: folder.appending(path: "other")) !== memory)
        #expect(memories.memory(in: folder).deletedBytes.count == 1)
    }
}
