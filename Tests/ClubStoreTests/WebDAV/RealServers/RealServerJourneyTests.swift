import ClubStore
import Foundation
import TestSupport
import Testing

/// A typical day with a club, on every real server installed on this machine.
@Suite struct RealServerJourneyTests {
    static let names = [
        "Plan.txt", "a b.txt", "naïve [a]+b&c #1 ? 100%.txt", "semi;colon;v=1.txt", "%41 %2f.txt",
        "日本語 🏔️.txt", "'quotes\" <angle>.txt", "~tilde $,=@!()*.txt", "-dash", "dots...txt",
    ]

    /// Small texts are written directly, larger ones are staged.
    enum Size: Int, CaseIterable, Sendable {
        case small = 100
        case large = 300_000

        /// Bytes with a content and length specific to the seed.
        func bytes(_ seed: UInt8) -> Data {
            Data(
                (0..<rawValue + Int(seed)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) &+ seed })
        }
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases, Size.allCases)
    func aNoteIsMadeEditedRenamedAndDeleted(
        _ kind: RealWebDAVServer.Kind, _ size: Size
    ) async throws {
        let store = try await makeStore(on: kind)
        try await store.createFolder(path("/moved"))
        // Larger texts must wait at servers with second-based tags.
        let names = size == .small ? Self.names : Array(Self.names[2...4])
        for (index, name) in names.enumerated() {
            let place = try RemotePath.root.appending(newName: name)
            let next = try path("/moved").appending(newName: names[(index + 1) % names.count])
            var file = try await store.put(size.bytes(1), at: place, mode: .add)
            for seed in [2, 3] as [UInt8] {
                file = try await store.put(
                    size.bytes(seed), at: place,
                    mode: .update(file.revision, contentHash: file.contentHash))
                #expect(try await store.fetch(place).data == size.bytes(seed), "\(name)")
            }
            #expect(try await store.move(place, to: next).path == next)
            await expectFailure(.notFound) { _ = try await store.metadata(of: place) }
            let found = try await store.fetch(next)
            #expect(found.data == size.bytes(3), "\(name)")
            try await store.delete(next, ifRevision: found.file.revision)
            await expectFailure(.notFound) { _ = try await store.fetch(next) }
        }
        #expect(
            try await store.list(.root, recursive: true).entries.map(\.path.string) == ["/moved"])
    }

    @Test(arguments: RealWebDAVServer.Kind.allCases, [300_000, 11 << 20])
    func aPhotoGoesUpAndComesBack(
        _ kind: RealWebDAVServer.Kind, _ byteCount: Int
    ) async throws {
        let store = try await makeStore(on: kind)
        let folder = try TemporaryFolder()
        var photo = Photos.corners(width: 800, height: 600)
        // Bytes after the end of the picture are ignored.
        photo.append(
            Data((photo.count..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }))
        let source = try folder.write(photo, to: "source")
        let place = try path("/photos/naïve [a]+b&c #1 100%.jpg")
        let file = try await Recorder.upload(source, to: place, in: store)
        #expect(file.byteCount == Int64(byteCount))
        let target = folder.url.appending(path: "target")
        let received = try await Recorder.download(place, to: target, in: store)
        #expect(received.isSameState(as: file))
        #expect(try Data(contentsOf: target) == photo)
        for await (_, result) in store.thumbnails(of: [place], size: .w128h128) {
            #expect(try result.get().starts(with: [0xFF, 0xD8]))
        }
        let listed = try await store.list(.root, recursive: true).files
        #expect(listed.count == 1 && listed.allSatisfy { $0.isSameState(as: file) })
    }

    /// If a server truncates a name, nothing may be written to the truncated one.
    @Test(arguments: RealWebDAVServer.Kind.allCases, ["?", ";", "#", "%"])
    func aNameIsNeverTakenForAShorterOne(
        _ kind: RealWebDAVServer.Kind, _ mark: String
    ) async throws {
        let store = try await makeStore(on: kind)
        let (short, long) = (try path("/big"), try path("/big\(mark)v=1"))
        let (theirs, ours) = (Size.large.bytes(1), Size.large.bytes(2))
        let file = try await store.put(theirs, at: short, mode: .add)
        _ = try await store.put(ours, at: long, mode: .add)
        #expect(try await store.fetch(long).data == ours)
        let (from, to) = (try path("/other"), try path("/big\(mark)x"))
        _ = try await store.put(ours, at: from, mode: .add)
        _ = try await store.move(from, to: to)
        #expect(try await store.fetch(to).data == ours)
        #expect(try await store.fetch(short).data == theirs)
        #expect(try await store.metadata(of: short).revision == file.revision)
        #expect(
            Set(try await store.list(.root).files.map(\.name)) == ["big", to.name, long.name])
    }
}
