import ClubStore
import ClubStoreTestSupport
import DropboxAPI
import Foundation
import ByteClubPictures
import TestSupport
import Testing

@testable import ByteClub

/// Which pixels the viewer shows of a photo.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PictureLoaderTests {
    private static let screen = PixelSize(width: 160, height: 100)
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "byteclub-loader-\(UUID().uuidString)")

    private func withLoader(
        _ body: (PictureLoader, InMemoryStore) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = InMemoryStore()
        let home = TestClub(store)
        defer { home.club.stop() }
        let cache = PictureCache(folder: folder.appending(path: "pictures"))
        try await body(
            PictureLoader(club: home.club, cache: cache, clubName: "club", folder: nil), store)
    }

    /// What a download of a photo leaves: its date is the store's.
    private func file(_ data: Data, of photo: RemoteFile) throws -> URL {
        let file = folder.appending(path: "sea.jpg")
        try data.write(to: file)
        try FileManager.default.setAttributes(
            [.modificationDate: photo.modified], ofItemAtPath: file.path)
        return file
    }

    /// Two pictures of different sizes in files of one length.
    private static let pair = {
        let (one, other) = (
            Photos.wide(width: 640, height: 320), Photos.wide(width: 320, height: 160)
        )
        let count = max(one.count, other.count)
        return (one + Data(count: count - one.count), other + Data(count: count - other.count))
    }()

    @Test func showsTheFileThatWasDownloaded() async throws {
        try await withLoader { loader, store in
            let photo = try store.plant(Self.pair.0, at: "/photos/sea.jpg")
            let loaded = try await loader.load(
                photo, original: try file(Self.pair.0, of: photo), screen: Self.screen)
            let facts = [loaded.isOriginal, loaded.isWhole]
            #expect(facts == [true, true])
            let size = loaded.details.size
            #expect(size == PixelSize(width: 640, height: 320))
        }
    }

    /// A file that was cut off before it came into the club.
    @Test func aCutFileIsDamagedAtTheSecondLookToo() async throws {
        try await withLoader { loader, store in
            let whole = Photos.noise(width: 900, height: 600)
            let data = whole.prefix(whole.count * 2 / 5)
            let photo = try store.plant(data, at: "/photos/sea.jpg")
            let original = try file(data, of: photo)
            for _ in 0..<2 {
                var first: Bool?
                let loaded = try await loader.load(
                    photo, original: original, screen: Self.screen
                ) { first = $0.isDamaged }
                let facts = [loaded.isOriginal, loaded.isWhole, loaded.isDamaged, first]
                #expect(facts == [true, true, true, true])
            }
            let fine = try store.plant(whole, at: "/photos/sea.jpg")
            let loaded = try await loader.load(
                fine, original: try file(whole, of: fine), screen: Self.screen)
            let isDamaged = loaded.isDamaged
            #expect(!isDamaged)
        }
    }

    /// It is not kept in the cache either, where nothing says that it is damaged: the club is asked again.
    @Test func aCutPreviewIsDamagedAtTheSecondLookToo() async throws {
        try await withLoader { loader, store in
            let whole = Photos.noise(width: 900, height: 600)
            let photo = try store.plant(whole.prefix(whole.count * 2 / 5), at: "/photos/sea.jpg")
            for count in 1...2 {
                let loaded = try await loader.load(photo, original: nil, screen: Self.screen)
                let facts = [loaded.isOriginal, loaded.isWhole, loaded.isDamaged]
                #expect(facts == [false, true, true])
                #expect(store.calls.count { $0.operation == .thumbnail } == count)
            }
        }
    }

    @Test(arguments: [true, false])
    func anotherFileOfTheSameLengthIsNotShown(storeKnowsHashes: Bool) async throws {
        try await withLoader { loader, store in
            var photo = try store.plant(Self.pair.0, at: "/photos/sea.jpg")
            let original = try file(Self.pair.1, of: photo)
            if storeKnowsHashes {
                photo.contentHash = ContentHash(of: Self.pair.0).hexadecimal
            } else {
                photo.modified += 60
            }
            let loaded = try await loader.load(photo, original: original, screen: Self.screen)
            let isOriginal = loaded.isOriginal
            #expect(!isOriginal)
            let size = loaded.details.size
            #expect(size == PixelSize(width: 640, height: 320))
        }
    }

    @Test func aFileThatIsWrittenAfterALookIsNotShownFromTheCache() async throws {
        try await withLoader { loader, store in
            let photo = try store.plant(Self.pair.0, at: "/photos/sea.jpg")
            let original = try file(Self.pair.0, of: photo)
            func showsTheFile() async throws -> Bool {
                try await loader.load(photo, original: original, screen: Self.screen).isOriginal
            }
            #expect(try await showsTheFile())
            try Self.pair.1.write(to: original)
            #expect(try await !showsTheFile())
        }
    }

    /// A club says only that it makes no preview.
    @Test func theFileOnThisComputerSaysWhyItIsNotShown() async throws {
        try await withLoader { loader, store in
            let data = Data("no picture at all".utf8)
            let photo = try store.plant(data, at: "/photos/sea.jpg")
            let original = try file(data, of: photo)
            func failure(_ original: URL?) async throws -> PictureFailure? {
                do {
                    _ = try await loader.load(photo, original: original, screen: Self.screen)
                    return nil
                } catch let failure as PictureFailure {
                    return failure
                }
            }
            let known = try #require(try await failure(original))
            #expect(known.sentence.contains("because it is a text"))
            #expect(!known.mayPass)
            let unknown = try #require(try await failure(nil))
            #expect(unknown.sentence.contains("or takes too much work"))
            #expect(!unknown.mayPass)
        }
    }

    /// Who looks at one photo does not wait for the next one's every pixel.
    @Test func aNeighborIsDecodedForTheScreenAndTheWholeWhenItIsLookedAt() async throws {
        try await withLoader { loader, store in
            let data = Photos.wide(width: 3000, height: 1500)
            let photo = try store.plant(data, at: "/photos/sea.jpg")
            let original = try file(data, of: photo)
            let neighbor = try await loader.load(
                photo, original: original, .screen, screen: Self.screen)
            let sizes = [neighbor.levels.largest.size, neighbor.details.size]
            #expect(
                sizes == [
                    PixelSize(width: 512, height: 256), PixelSize(width: 3000, height: 1500),
                ])
            let isScreen = !neighbor.isWhole
            #expect(isScreen)
            let whole = try await loader.load(photo, original: original, screen: Self.screen)
            let (size, isWhole) = (whole.levels.largest.size, whole.isWhole)
            #expect(size == PixelSize(width: 3000, height: 1500) && isWhole)
        }
    }
}
