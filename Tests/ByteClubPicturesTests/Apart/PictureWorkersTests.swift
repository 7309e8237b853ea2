import Foundation
import Glibc
import ByteClubPictures
import Synchronization
import TestSupport
import Testing

/// What comes out of a process apart is what would come out of this one.
@Suite struct PictureWorkersTests {
    private let workers = PictureWorkers()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let pictures: [Data] = [
        Photos.corners(), Photos.corners(width: 210, height: 150, orientation: 6),
        Photos.corners(width: 210, height: 150, isProgressive: true), Photos.grey(),
        Photos.inks(), Photos.noise(width: 300, height: 200), PNGFixtures.interlaced,
        PNGFixtures.palette, PNGFixtures.grey16, Photos.truncated(),
    ]

    @Test(arguments: pictures)
    func showsWhatIsShownHere(_ data: Data) async throws {
        let file = try folder.add(data, named: "picture.jpg")
        for box in [nil, PixelSize(width: 64, height: 64)] {
            let here = try PictureFile(data: data).decode { size in
                box.map { size.fitted(in: $0) } ?? size
            }
            for picture in [PictureFile(data: data), PictureFile(at: file)] {
                let apart = try await workers.decode(picture, scaledToFit: box)
                #expect(apart.image == here.image)
                #expect(apart.fullSize == here.fullSize)
                #expect(apart.isDamaged == here.isDamaged)
            }
        }
    }

    @Test(arguments: pictures, [PictureFile.Format.jpeg(quality: 0.8), .png])
    func makesTheThumbnailThatIsMadeHere(_ data: Data, format: PictureFile.Format) async throws {
        let picture = PictureFile(data: data)
        let box = PixelSize(width: 48, height: 32)
        for mode in [Thumbnail.Mode.strict, .bestFit, .fitOneBestFit] {
            let apart = try await workers.thumbnail(
                of: picture, as: format, fitting: box, mode: mode)
            #expect(apart.data == (try picture.data(as: format) { mode.size(of: $0, in: box) }))
            #expect(apart.fullSize == (try picture.size()))
        }
        let whole = try await workers.thumbnail(of: picture, as: format, fitting: box, mode: nil)
        #expect(whole.size == (try picture.size()))
    }

    @Test func findsTheSmallPictureInALargeOne() async throws {
        let small = Photos.corners(width: 160, height: 80)
        let photo = Photos.corners(
            width: 960, height: 480, orientation: 1, metadata: PhotoMetadata(thumbnail: small))
        let box = PixelSize(width: 128, height: 128)
        let beginning = PictureFile(data: photo.prefix(small.count + 4096))
        let apart = try await workers.embeddedThumbnail(in: beginning, fitting: box)
        let here = try Thumbnail.embedded(in: JPEGHeader.read(photo), fitting: box)
        #expect(apart.data == here.data)
        #expect(apart.fullSize == PixelSize(width: 960, height: 480))
    }

    @Test(arguments: [
        Photos.corners(), Photos.corners(width: 210, height: 150, orientation: 6),
        Photos.wide(width: 3000, height: 750, isProgressive: true, orientation: 8),
        Photos.inks(), PNGFixtures.interlaced,
    ])
    func encodesWhatIsEncodedHereAndLeavesNothingBehind(_ data: Data) async throws {
        let photo = try folder.add(data, named: "photo.jpg")
        let here = try PhotoReencoder(directory: folder.url).reencode(photo)
        let parts = Mutex<[Double]>([])
        let names = try temporaryNames
        let apart = try await workers.reencode(photo) { part in
            parts.withLock { $0.append(part) }
        }
        #expect(apart.size == here.size)
        #expect(apart.byteCount == here.byteCount)
        #expect(try Data(contentsOf: apart.url) == Data(contentsOf: here.url))
        // No name anywhere: a kill leaves nothing behind either.
        var status = stat()
        try #require(stat(apart.url.path, &status) == 0)
        #expect(status.st_nlink == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        // Other programs and tests have names there for a moment; what is left behind stays.
        try await eventually("only names that go away") {
            try temporaryNames.subtracting(names).isEmpty
        }
        let reported = parts.withLock { $0 }
        #expect(reported == reported.sorted() && reported.last == 1)
        withExtendedLifetime(apart) {}
    }

    /// What an encoding may leave behind.
    private var temporaryNames: Set<String> {
        get throws {
            Set(
                try FileManager.default.contentsOfDirectory(
                    atPath: FileManager.default.temporaryDirectory.path
                ).filter { $0.hasPrefix("byteclub-photo") || $0.hasPrefix("byteclub-scratch") })
        }
    }

    @Test func saysWhatIsWrongWithAPicture() async throws {
        let cases: [(Data, PictureError.Code, FileFormat?)] = [
            (Data(), .empty, nil), (Data("text of some length".utf8), .notAPicture, .text),
            (Data("<html><body>Log in".utf8), .notAPicture, .webPage),
            (Photos.withMarkers(5000), .tooCostly, nil),
            (Photos.corners(isProgressive: true).prefix(200), .truncated, nil),
        ]
        for (data, code, format) in cases {
            let error = await #expect(throws: PictureError.self) {
                _ = try await workers.decode(PictureFile(data: data, name: "x.jpg"))
            }
            #expect(error?.code == code)
            #expect(error?.format == format)
            #expect(error?.operation.contains("x.jpg") == true)
        }
        let none = PictureFile(at: folder.url.appending(path: "none.jpg"))
        let error = await #expect(throws: PictureError.self) { _ = try await workers.decode(none) }
        #expect(error?.code == .notFound)
    }

    @Test func aPhotoOfManyCoefficientsWorksInAScratchFile() async throws {
        let photo = try folder.add(
            Photos.wide(width: 10_000, height: 5000, isProgressive: true, orientation: 3),
            named: "large.jpg")
        let output = try await workers.reencode(photo)
        #expect(output.size == PixelSize(width: 10_000, height: 5000))
        #expect(try JPEGHeader.read(fileAt: output.url).size == output.size)
        withExtendedLifetime(output) {}
    }

    // MARK: - The line

    @Test func aQuickPictureDoesNotWaitForThoseThatTakeLong() async throws {
        let slow = PictureFile(data: Photos.wide(isProgressive: true))
        let quick = PictureFile(data: Photos.corners())
        let box = PixelSize(width: 64, height: 64)
        let reported = Reports()
        let workers = workers
        try await withThrowingTaskGroup { group in
            // Seconds of work, asked for first.
            for _ in 0..<4 {
                group.addTask {
                    _ = try await workers.decode(slow, scaledToFit: box)
                    reported.add("slow")
                }
            }
            try await eventually("work on a slow one") { workers.hasWork }
            for _ in 0..<8 {
                group.addTask {
                    _ = try await workers.decode(quick, scaledToFit: box)
                    reported.add("quick")
                }
            }
            try await group.waitForAll()
        }
        // Not one of them waited for the last of the slow ones.
        #expect(reported.last == "slow")
    }

    /// What happened, in order.
    private final class Reports: Sendable {
        private let words = Mutex<[String]>([])
        var last: String? { words.withLock(\.last) }
        func add(_ word: String) { words.withLock { $0.append(word) } }
    }

    @Test func whoGivesUpInTheLineIsLetOut() async throws {
        let slow = PictureFile(data: Photos.wide(isProgressive: true))
        let box = PixelSize(width: 64, height: 64)
        let first = Task { try await workers.decode(slow, scaledToFit: box) }
        try await eventually("work on the first") { workers.hasWork }
        let second = Task { try await workers.decode(slow, scaledToFit: box) }
        second.cancel()
        let error = await #expect(throws: PictureError.self) { _ = try await second.value }
        #expect(error?.code == .cancelled)
        #expect(try await first.value.image.size.width == 64)
        #expect(try await workers.decode(slow, scaledToFit: box).image.size.width == 64)
    }
}
