import ClubStore
import ClubStoreTestSupport
import Foundation
import ByteClubPictures
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

@MainActor @Suite(.timeLimit(.minutes(1))) struct ThumbnailLoaderTests {
    private static let screen = PixelSize(width: 160, height: 100)

    /// Who scrolls through a thousand photos has only those fetched that were in sight last.
    @Test func fetchesWhatWasAskedForLastOfAThousand() async throws {
        let store = InMemoryStore()
        for number in 1_000..<2_000 {
            try store.plant("no picture", at: "/photos/IMG_\(number).jpg")
        }
        let home = TestClub(store)
        await home.waitUntil { $0.contents.allFiles.count == 1_000 }
        let files = home.club.contents.allFiles.sorted { $0.name < $1.name }
        let cells = CellRenderer(style: .halfBlocks)
        let loader = ThumbnailLoader(
            club: home.club, size: .w256h256,
            renderer: PictureRenderer(moving: cells, resting: cells), on: PictureTerminal(),
            box: CellSize(columns: 14, rows: 2))
        for file in files { #expect(loader.state(of: file) == .loading) }
        // The latest come first: what was asked for before them is through when the earliest is.
        await withCheckedContinuation { done in
            loader.onArrival = {
                guard files.suffix(96).allSatisfy({ loader.state(of: $0) != .loading }) else {
                    return
                }
                loader.onArrival = nil
                done.resume()
            }
        }
        let asked = store.calls.filter { $0.operation == .thumbnail }.compactMap(\.path)
        #expect(Set(asked) == Set(files.suffix(96).map(\.path)))
        // Back in sight, it is asked for.
        #expect(loader.state(of: files[0]) == .loading)
        loader.cancel()
        home.club.stop()
    }

    /// It is not kept on this computer either.
    @Test func aCutThumbnailIsDamagedAndAskedForAgain() async throws {
        let library = FileManager.default.temporaryDirectory
            .appending(path: "thumbnails-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: library) }
        let store = InMemoryStore()
        let whole = Photos.noise(width: 900, height: 600)
        try store.plant(whole.prefix(whole.count * 2 / 5), at: "/photos/sea.jpg")
        let home = TestClub(store, library: library)
        await home.waitUntil { $0.contents.allFiles.count == 1 }
        let photo = try #require(home.club.contents.allFiles.first)
        let cells = CellRenderer(style: .halfBlocks)
        for count in 1...2 {
            let loader = ThumbnailLoader(
                club: home.club, size: .w256h256,
                renderer: PictureRenderer(moving: cells, resting: cells), on: PictureTerminal(),
                box: CellSize(columns: 14, rows: 2))
            #expect(loader.state(of: photo) == .loading)
            await withCheckedContinuation { done in
                loader.onArrival = {
                    loader.onArrival = nil
                    done.resume()
                }
            }
            #expect(loader.state(of: photo) == .unavailable("damaged"))
            #expect(store.calls.count { $0.operation == .thumbnail } == count)
            loader.cancel()
        }
        home.club.stop()
    }

    /// On a plain WebDAV server each attempt would fetch the whole photo.
    @Test func aPhotoThatCannotBeDecodedIsAskedForOnceInEachState() async throws {
        let store = InMemoryStore()
        let bad = try store.plant(
            Data([0xFF, 0xD8]) + Data("no picture".utf8), at: "/photos/bad.jpg")
        let home = TestClub(store)
        let loader = PictureLoader(club: home.club, cache: nil, clubName: "", folder: nil)
        for _ in 1...3 {
            await #expect(throws: PictureFailure.self) {
                _ = try await loader.load(bad, original: nil, screen: Self.screen)
            }
        }
        #expect(store.calls.count { $0.operation == .thumbnail } == 1)
        // What fails for a small picture fails for a large one, and another state is another picture.
        let changed = try store.plant(
            Data([0xFF, 0xD8]) + Data("no picture either".utf8), at: "/photos/bad.jpg")
        await #expect(throws: PictureFailure.self) {
            _ = try await loader.load(changed, original: nil, screen: Self.screen)
        }
        #expect(store.calls.count { $0.operation == .thumbnail } == 2)
        home.club.stop()
    }

    @Test func whatTheListFoundBadTheViewerDoesNotFetch() throws {
        let failures = UndecodablePhotos()
        let (path, revision) = (try RemotePath(validating: "/a.jpg"), Revision(rawValue: "1"))
        let error = PictureError(.damaged, operation: "show a.jpg")
        failures.note(error, of: path, revision, .w256h256)
        #expect(failures.error(of: path, revision, .w2048h1536) == error)
        #expect(failures.error(of: path, revision, .w64h64) == nil)
        #expect(failures.error(of: path, Revision(rawValue: "2"), .w2048h1536) == nil)
        let other = try RemotePath(validating: "/b.jpg")
        failures.note(PictureError(.outOfMemory, operation: ""), of: other, revision, .w64h64)
        #expect(failures.error(of: other, revision, .w2048h1536) == nil)
    }
}
