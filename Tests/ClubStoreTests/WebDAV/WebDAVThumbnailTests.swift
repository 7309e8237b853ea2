import Foundation
import ByteClubPictures
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Thumbnails with a server that makes none.
@Suite struct WebDAVThumbnailTests {
    private static let beginning = 16 << 10

    /// A photo larger than the initial range request, with an embedded thumbnail.
    private func photo(
        width: Int = 800, height: Int = 600, orientation: Int? = nil, small: PixelSize?
    ) -> Data {
        let small = small.map { Photos.corners(width: $0.width, height: $0.height) }
        var photo = Photos.corners(
            width: width, height: height, orientation: orientation,
            metadata: PhotoMetadata(maker: "Byte & Sons", thumbnail: small))
        // Bytes after the end of the picture are ignored, but must be fetched.
        photo.append(Data(count: 2 * Self.beginning))
        return photo
    }

    private func standIn(
        _ photo: Data, _ manners: WebDAVStandIn.Manners = .init()
    ) throws -> WebDAVStandIn {
        let standIn = try WebDAVStandIn(manners) { $0.limits.pictureBeginning = Self.beginning }
        standIn.plant(photo, at: "/a.jpg")
        return standIn
    }

    private func thumbnail(
        _ standIn: WebDAVStandIn, _ size: RemoteThumbnailSize = .w256h256
    ) async throws -> Data {
        var results: [Result<Data, StoreError>] = []
        for await (_, result) in standIn.store.thumbnails(of: [try path("/a.jpg")], size: size) {
            results.append(result)
        }
        #expect(results.count == 1)
        return try results[0].get()
    }

    private func ranges(_ standIn: WebDAVStandIn) -> [String?] {
        standIn.requests.map { $0["Range"] }
    }

    @Test func theSmallPictureInAPhotoSavesTheRest() async throws {
        let standIn = try standIn(photo(small: PixelSize(width: 160, height: 120)))
        let header = try JPEGHeader.read(try await thumbnail(standIn))
        #expect(header.size == PixelSize(width: 160, height: 120))
        #expect(ranges(standIn) == ["bytes=0-16383"])
    }

    @Test func theBytesOfAPhotoThatIsFetchedWholeAreReported() async throws {
        let photo = photo(small: nil)
        let standIn = try standIn(photo)
        let reports = Mutex<[FetchProgress]>([])
        _ = try await FetchProgress.$observer.withValue(
            .init { progress in reports.withLock { $0.append(progress) } }
        ) {
            try await thumbnail(standIn)
        }
        let received = reports.withLock { $0.map(\.received) }
        #expect(received == received.sorted())
        #expect(received.last == Int64(photo.count))
        #expect(reports.withLock { $0.allSatisfy { $0.expected == Int64(photo.count) } })
    }

    @Test func itIsTurnedLikeThePhoto() async throws {
        let standIn = try standIn(
            photo(orientation: 6, small: PixelSize(width: 160, height: 120)))
        let header = try JPEGHeader.read(try await thumbnail(standIn, .w128h128))
        #expect(header.size == PixelSize(width: 96, height: 128))
        #expect(standIn.requests.count == 1)
    }

    @Test(arguments: [
        // None; another aspect ratio, as with panoramas; much smaller than requested.
        nil, PixelSize(width: 256, height: 128), PixelSize(width: 80, height: 60),
    ])
    func whereItWillNotDoTheRestIsFetched(_ small: PixelSize?) async throws {
        let standIn = try standIn(photo(small: small))
        let header = try JPEGHeader.read(try await thumbnail(standIn))
        #expect(header.size == PixelSize(width: 256, height: 192))
        #expect(ranges(standIn) == ["bytes=0-16383", "bytes=16384-"])
        #expect(standIn.requests[1]["If-Range"] == "\"v1\"")
    }

    @Test func aServerThatNamesNoStateGivesAllOfIt() async throws {
        let standIn = try standIn(photo(small: nil), .init(tags: .weak))
        _ = try await thumbnail(standIn)
        #expect(ranges(standIn) == ["bytes=0-16383", nil])
    }

    @Test func aPhotoThatChangesInBetweenIsFetchedAnew() async throws {
        let standIn = try standIn(photo(small: nil))
        standIn.before(1) { [self] in
            $0.plant(photo(width: 300, height: 600, small: nil), at: "/a.jpg")
        }
        let header = try JPEGHeader.read(try await thumbnail(standIn))
        #expect(header.size == PixelSize(width: 128, height: 256))
    }

    @Test func aServerWithoutRangesIsAskedOnce() async throws {
        let photo = photo(small: nil)
        let standIn = try standIn(
            photo, .init(interception: { _ in [.answer("200 OK", body: Array(photo))] }))
        _ = try await thumbnail(standIn)
        #expect(standIn.requests.count == 1)
    }

    @Test func aLargePictureIsFetchedInOnePiece() async throws {
        let standIn = try standIn(photo(small: PixelSize(width: 160, height: 120)))
        let header = try JPEGHeader.read(try await thumbnail(standIn, .w1024h768))
        #expect(header.size == PixelSize(width: 800, height: 600))
        #expect(ranges(standIn) == [nil])
    }

    @Test(arguments: [
        LibraryFixtures.lossy, LibraryFixtures.heic, LibraryFixtures.avif,
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A]),
    ])
    func picturesOfOtherKindsAreFetched(_ picture: Data) async throws {
        let standIn = try standIn(picture)
        await expectFailure(.noThumbnail) {
            // Whether their libraries are here does not matter: all of it has come.
            _ = try await thumbnail(standIn)
            throw StoreError(.noThumbnail, during: .thumbnail)
        }
        #expect(ranges(standIn) == ["bytes=0-16383"])
        #expect(picture.mayBePicture && picture.prefix(3).mayBePicture)
        #expect(!Data("<html><body>".utf8).mayBePicture)
    }

    @Test func whatIsNoPictureIsGivenUpAtTheFirstByte() async throws {
        let standIn = try standIn(Data(count: 100_000))
        await expectFailure(.noThumbnail) { _ = try await thumbnail(standIn) }
        let empty = try self.standIn(
            Data(),
            .init(interception: { _ in
                [.answer("416 Range Not Satisfiable", ["Content-Range: bytes */0"])]
            }))
        await expectFailure(.noThumbnail) { _ = try await thumbnail(empty) }
        #expect(standIn.requests.count == 1 && empty.requests.count == 1)
    }

    @Test func aSenselessRangeIsABadAnswer() async throws {
        for range in ["bytes 5-9/10", "bytes x", "pages 0-9/10"] {
            let standIn = try standIn(
                Data(),
                .init(interception: { _ in
                    [
                        .answer(
                            "206 Partial Content", ["Content-Range: \(range)"], body: "0123456789")
                    ]
                }))
            await expectFailure(.badAnswer) { _ = try await thumbnail(standIn) }
        }
    }
}
