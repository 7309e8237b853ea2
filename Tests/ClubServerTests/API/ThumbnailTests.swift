import DropboxAPI
import Foundation
import ByteClubPictures
import TestSupport
import Testing

@Suite struct ThumbnailTests {
    /// A panorama of one color.
    private func photo(_ width: Int, _ height: Int) throws -> Data {
        let image = PixelImage(
            size: PixelSize(width: width, height: height),
            filledWith: .init(red: 200, green: 40, blue: 90))
        return try image.jpegData(quality: 0.9)
    }

    private func size(of data: some DataProtocol) throws -> PixelSize {
        try JPEGHeader.read(Data(data)).size
    }

    private func withPhotos(_ body: (TestClub) async throws -> Void) async throws {
        try await TestClub.with([
            "photos/bad.jpg": "no picture", "photos/bad.png": "no picture", "note.txt": "text",
        ]) {
            (club: TestClub) async throws in
            let photo = try photo(1200, 200)
            try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/photos/pano.JPG")),
                bytes: Array(photo))
            try await body(club)
        }
    }

    @Test(arguments: [
        (ThumbnailSize.w256h256, ThumbnailMode.strict, PixelSize(width: 256, height: 43)),
        (.w64h64, .strict, PixelSize(width: 64, height: 11)),
        (.w2048h1536, .strict, PixelSize(width: 1200, height: 200)),
        (.w128h128, .fitoneBestfit, PixelSize(width: 768, height: 128)),
        (.w32h32, .original, PixelSize(width: 1200, height: 200)),
    ])
    func thumbnailsFitTheirBox(size: ThumbnailSize, mode: ThumbnailMode, expected: PixelSize)
        async throws
    {
        try await withPhotos { (club: TestClub) async throws in
            let reply = try await club.send(
                Routes.getThumbnail,
                ThumbnailV2Arg(path: "/photos/pano.jpg", size: size, mode: mode))
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "image/jpeg")
            #expect(try self.size(of: reply.body) == expected)
            let header = try #require(reply.headers["dropbox-api-result"])
            let result: PreviewResult = try WireJSON.decode(from: Data(header.utf8))
            #expect(result.fileMetadata?.name == "pano.JPG")
        }
    }

    @Test func theFirstVersionOfTheCallDescribesTheFileItself() async throws {
        try await withPhotos { (club: TestClub) async throws in
            let reply = try await club.send(
                Routes.getThumbnailOfPath, ThumbnailArg(path: "/photos/pano.jpg", size: .w128h128))
            #expect(try self.size(of: reply.body) == PixelSize(width: 128, height: 21))
            let header = try #require(reply.headers["dropbox-api-result"])
            let file: FileMetadata = try WireJSON.decode(from: Data(header.utf8))
            #expect(file.name == "pano.JPG")
            #expect(
                try await club.failure(Routes.getThumbnailOfPath, ThumbnailArg(path: "/none.jpg"))
                    == .path(.notFound))
        }
    }

    @Test func whatIsNoPhotoHasNoThumbnail() async throws {
        try await withPhotos { (club: TestClub) async throws in
            let cases: [(String, ThumbnailFormat, ThumbnailError)] = [
                ("/photos/bad.jpg", .jpeg, .unsupportedImage),
                ("/note.txt", .jpeg, .unsupportedExtension),
                ("/none.jpg", .jpeg, .path(.notFound)), ("/photos", .jpeg, .path(.notFile)),
                ("/photos/pano.jpg", .webp, .conversionError),
                ("/photos/bad.png", .png, .unsupportedImage),
            ]
            for (path, format, expected) in cases {
                let error = try await club.failure(
                    Routes.getThumbnail, ThumbnailV2Arg(path: path, format: format))
                #expect(error == expected, "\(path)")
            }
        }
    }

    @Test(
        .enabled("libwebp7 and libheif1 are not both installed") {
            PictureLibrary.allCases.allSatisfy { $0.facts?.formats == Set($0.formats) }
        },
        arguments: [
            ("sea.webp", LibraryFixtures.lossy), ("sea.HEIC", LibraryFixtures.heic),
            ("sea.avif", LibraryFixtures.avif),
        ])
    func whatPhonesAndBrowsersWriteIsShown(name: String, _ picture: Data) async throws {
        try await withPhotos { (club: TestClub) async throws in
            let path = "/photos/" + name
            try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: path)), bytes: Array(picture))
            let reply = try await club.send(
                Routes.getThumbnail, ThumbnailV2Arg(path: path, size: .w64h64))
            #expect(reply.status == 200)
            #expect(try JPEGHeader.read(Data(reply.body)).size == PixelSize(width: 64, height: 43))
        }
    }

    @Test(arguments: [ThumbnailFormat.jpeg, .png], ["pano.jpg", "drawing.PNG"])
    func photosAndDrawingsAreShownInBothFormats(format: ThumbnailFormat, name: String)
        async throws
    {
        try await withPhotos { (club: TestClub) async throws in
            let drawing = try PixelImage(
                size: PixelSize(width: 600, height: 300),
                filledWith: .init(red: 1, green: 2, blue: 3)
            ).pngData()
            try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/photos/drawing.PNG")),
                bytes: Array(drawing))
            let argument = ThumbnailV2Arg(
                path: "/photos/" + name, format: format, size: .w128h128)
            let reply = try await club.send(Routes.getThumbnail, argument)
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "image/\(format.rawValue)")
            let data = Data(reply.body)
            let size =
                format == .png ? try PNGFile(data: data).size() : try JPEGHeader.read(data).size
            #expect(size == PixelSize(width: 128, height: name == "pano.jpg" ? 21 : 64))
            // The kept one is of the same format.
            let again = try await club.send(Routes.getThumbnail, argument)
            #expect(again.body == reply.body)
            let batch = try await club.call(
                Routes.getThumbnailBatch,
                GetThumbnailBatchArg(
                    entries: [ThumbnailArg(path: argument.path, format: format, size: .w128h128)]))
            guard case .success(_, let data) = batch.entries.first else {
                Issue.record("\(batch)")
                return
            }
            #expect(Array(data) == reply.body)
            let metadata = try await club.call(
                Routes.getMetadata,
                GetMetadataArg(path: "/photos/drawing.png", includeMediaInfo: true))
            #expect(metadata.file?.mediaInfo == .metadata(kind: "photo", width: 600, height: 300))
        }
    }

    @Test func aBatchAnswersEachEntry() async throws {
        try await withPhotos { (club: TestClub) async throws in
            let paths = ["/photos/pano.jpg", "/photos/bad.jpg", "/none.jpg"]
            let entries = try await club.call(
                Routes.getThumbnailBatch,
                GetThumbnailBatchArg(entries: paths.map { ThumbnailArg(path: $0, size: .w128h128) })
            ).entries
            guard entries.count == 3, case .success(let file, let data) = entries[0] else {
                Issue.record("\(entries)")
                return
            }
            #expect(file.name == "pano.JPG")
            #expect(try size(of: data) == PixelSize(width: 128, height: 21))
            #expect(entries[1] == .failure(.unsupportedImage))
            #expect(entries[2] == .failure(.path(.notFound)))
            #expect(
                try await club.failure(
                    Routes.getThumbnailBatch,
                    GetThumbnailBatchArg(
                        entries: Array(repeating: ThumbnailArg(path: "/x.jpg"), count: 26)))
                    == .tooManyFiles)
        }
    }

    @Test func aThumbnailIsKeptAndBelongsToItsRevision() async throws {
        try await withPhotos { (club: TestClub) async throws in
            let argument = ThumbnailV2Arg(path: "/photos/pano.jpg", size: .w64h64)
            let first = try await club.send(Routes.getThumbnail, argument)
            let kept = try FileManager.default.contentsOfDirectory(atPath: club.home + "/cache")
            #expect(kept.count == 1)
            // What is kept is what is sent.
            let path = club.home + "/cache/" + (try #require(kept.first))
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(first.body))
            try await club.call(
                Routes.upload,
                UploadArg(commit: CommitInfo(path: "/photos/pano.jpg", mode: .overwrite)),
                bytes: Array(photo(300, 300)))
            let second = try await club.send(Routes.getThumbnail, argument)
            #expect(try size(of: second.body) == PixelSize(width: 64, height: 64))
        }
    }

    private func kept(by club: TestClub) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: club.home + "/cache")
    }

    @Test func whatCannotBeOpenedIsNotTriedAgain() async throws {
        try await withPhotos { (club: TestClub) async throws in
            let bad = ThumbnailV2Arg(path: "/photos/bad.jpg", size: .w64h64)
            #expect(try await club.failure(Routes.getThumbnail, bad) == .unsupportedImage)
            let failure = try #require(try kept(by: club).first)
            let badRevision = try #require(
                try await club.metadata("/photos/bad.jpg").file?.revision)
            #expect(failure.hasPrefix(badRevision))
            // Said of a good photo, it is believed without a look at the photo.
            let photo = try await club.metadata("/photos/pano.jpg")
            let revision = try #require(photo.file?.revision)
            try FileManager.default.moveItem(
                atPath: club.home + "/cache/" + failure,
                toPath: club.home + "/cache/" + revision + failure.dropFirst(badRevision.count))
            for size in [ThumbnailSize.w64h64, .w128h128] {
                let good = ThumbnailV2Arg(path: "/photos/pano.jpg", size: size)
                #expect(try await club.failure(Routes.getThumbnail, good) == .unsupportedImage)
            }
            // Another revision is another photo.
            try await club.call(
                Routes.upload,
                UploadArg(commit: CommitInfo(path: "/photos/pano.jpg", mode: .overwrite)),
                bytes: Array(self.photo(300, 300)))
            let reply = try await club.send(
                Routes.getThumbnail, ThumbnailV2Arg(path: "/photos/pano.jpg", size: .w64h64))
            #expect(reply.status == 200)
        }
    }

    /// Ones that take about half a second each.
    private func addSlowPhotos(_ names: [String], to club: TestClub) async throws {
        let photo = Array(Photos.wide(isProgressive: true))
        for name in names {
            try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/photos/\(name)")), bytes: photo)
        }
    }

    /// Asks for many thumbnails that take long, then for something else, and expects its answer before
    /// the last of those: seconds of work against milliseconds, on any machine.
    private func expectNoWait<A, R, F>(
        for route: Route<A, R, F>, _ argument: A
    ) async throws {
        let argument = try WireJSON.encodeForHeader(argument)
        try await expectNoWait { club, connection in
            try connection.ask(route.path, argument, token: club.token)
        }
    }

    private func expectNoWait(
        asking ask: @escaping @Sendable (TestClub, TestConnection) throws -> Void
    ) async throws {
        let names = (0..<3).map { "slow\($0).jpg" }
        let sizes: [ThumbnailSize] = [
            .w64h64, .w128h128, .w256h256, .w480h320, .w640h480, .w960h640,
        ]
        let wishes = try names.flatMap { name in
            try sizes.map {
                try WireJSON.encodeForHeader(ThumbnailV2Arg(path: "/photos/\(name)", size: $0))
            }
        }
        // What waits behind them is never answered first; on a busy machine the others may be answered, too, before
        // this thread has looked.
        var isFirst = false
        for _ in 0..<4 where !isFirst {
            isFirst = try await isAnsweredFirst(ask, wishes, names)
        }
        #expect(isFirst)
    }

    private func isAnsweredFirst(
        _ ask: @escaping @Sendable (TestClub, TestConnection) throws -> Void, _ wishes: [String],
        _ names: [String]
    ) async throws -> Bool {
        var isFirst = false
        try await withPhotos { (club: TestClub) async throws in
            try await addSlowPhotos(names, to: club)
            // All from one thread, so that no request waits here for another's answer.
            let (status, unansweredCount) = try await TestConnection.run {
                let slow = try wishes.map { wish in
                    let connection = try club.connect()
                    try connection.ask(Routes.getThumbnail.path, wish, token: club.token)
                    return connection
                }
                // By then the others are in line, in whatever order they came.
                try TestConnection.waitForBytes(onAnyOf: slow)
                let connection = try club.connect()
                try ask(club, connection)
                let status = try connection.readReply().status
                return (status, slow.count { !$0.hasBytes })
            }
            #expect(status == 200)
            isFirst = unansweredCount > 0
        }
        return isFirst
    }

    @Test func aPhotoDoesNotWaitBehindOneThatTakesLong() async throws {
        try await expectNoWait(
            for: Routes.getThumbnail, ThumbnailV2Arg(path: "/photos/pano.jpg"))
    }

    @Test func aNoteDoesNotWaitForPhotos() async throws {
        try await expectNoWait(for: Routes.download, DownloadArg(path: "/note.txt"))
    }

    @Test func aNoteIsPutWhilePhotosAreDecoded() async throws {
        let argument = try WireJSON.encodeForHeader(
            UploadArg(commit: CommitInfo(path: "/put.txt")))
        try await expectNoWait { club, connection in
            try connection.request(
                "POST", Routes.upload.path,
                [
                    ("Authorization", "Bearer \(club.token)"), ("Dropbox-API-Arg", argument),
                    ("Content-Type", "application/octet-stream"),
                ], Array("a word".utf8))
        }
    }

    @Test func notesAreListedWhilePhotosAreDecoded() async throws {
        let argument = Array(try WireJSON.encodeForHeader(ListFolderArg(path: "")).utf8)
        try await expectNoWait { club, connection in
            try connection.request(
                "POST", Routes.listFolder.path,
                [
                    ("Authorization", "Bearer \(club.token)"),
                    ("Content-Type", "application/json"),
                ], argument)
        }
    }

    @Test(arguments: ["photo.jpg", "drawing.png"])
    func aPictureIsOpenedByItsContentWhateverItsName(name: String) async throws {
        try await withPhotos { (club: TestClub) async throws in
            let image = PixelImage(
                size: PixelSize(width: 600, height: 300),
                filledWith: .init(red: 1, green: 2, blue: 3))
            let data = name == "photo.jpg" ? try image.pngData() : try image.jpegData(quality: 0.9)
            try await club.call(
                Routes.upload, UploadArg(commit: CommitInfo(path: "/photos/\(name)")),
                bytes: Array(data))
            let reply = try await club.send(
                Routes.getThumbnail, ThumbnailV2Arg(path: "/photos/\(name)", size: .w64h64))
            #expect(try self.size(of: reply.body) == PixelSize(width: 64, height: 32))
        }
    }

    @Test func nothingIsDecodedForAClientThatHasGone() async throws {
        try await withPhotos { (club: TestClub) async throws in
            try await addSlowPhotos(["a.jpg", "b.jpg"], to: club)
            let argument = try WireJSON.encodeForHeader(ThumbnailV2Arg(path: "/photos/a.jpg"))
            try await TestConnection.run {
                try club.connect().ask(Routes.getThumbnail.path, argument, token: club.token)
            }
            // In the same line, behind the one that nobody waits for.
            let reply = try await club.send(
                Routes.getThumbnail, ThumbnailV2Arg(path: "/photos/b.jpg"))
            #expect(reply.status == 200)
            let revision = try #require(try await club.metadata("/photos/b.jpg").file?.revision)
            let kept = try kept(by: club)
            #expect(kept.count == 1 && kept.allSatisfy { $0.hasPrefix(revision) }, "\(kept)")
        }
    }

    @Test func aThumbnailComesWithTheSizeOfItsPhoto() async throws {
        try await withPhotos { (club: TestClub) async throws in
            for excludes in [false, true] {
                var entry = ThumbnailArg(path: "/photos/pano.jpg", size: .w64h64)
                entry.excludesMediaInfo = excludes
                let result = try await club.call(
                    Routes.getThumbnailBatch, GetThumbnailBatchArg(entries: [entry]))
                guard case .success(let file, _)? = result.entries.first else {
                    Issue.record("no thumbnail")
                    return
                }
                #expect(
                    file.mediaInfo
                        == (excludes ? nil : .metadata(kind: "photo", width: 1200, height: 200)))
            }
        }
    }

    @Test func theSizeOfAPhotoIsToldOnRequest() async throws {
        try await withPhotos { (club: TestClub) async throws in
            let metadata = try await club.call(
                Routes.getMetadata,
                GetMetadataArg(path: "/photos/pano.jpg", includeMediaInfo: true))
            #expect(
                metadata.file?.mediaInfo == .metadata(kind: "photo", width: 1200, height: 200))
        }
    }
}

extension TestConnection {
    /// Sends a call whose argument is in its header.
    fileprivate func ask(_ path: String, _ argument: String, token: String) throws {
        try request(
            "POST", path, [("Authorization", "Bearer \(token)"), ("Dropbox-API-Arg", argument)], [])
    }
}
