import ClubStore
import ClubStoreTestSupport
import Foundation
import Pictures
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

@MainActor @Suite final class PhotoUploadTests {
    let test = TestClub()
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("upload-\(UUID().uuidString)", isDirectory: true)

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func file(_ name: String, _ data: Data) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try data.write(to: url)
        return url
    }

    /// Runs an upload to its end, doing something at each step of progress.
    private func run(
        _ upload: PhotoUpload, atProgress: @escaping (PhotoUpload) -> Void = { _ in }
    ) async -> PhotoUpload.Result {
        let recorder = Recorder(atProgress: atProgress)
        upload.delegate = recorder
        upload.start()
        return await recorder.result()
    }

    @Test func putsAReencodedCopyIntoThePhotosFolder() async throws {
        let original = Photos.wide(width: 1200, height: 300)
        let source = try file("sea.jpg", original)
        let result = await run(PhotoUpload(source, named: "sea.jpg", in: test.club))
        guard case .uploaded(let uploaded) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(uploaded.path.string == "/photos/sea.jpg")
        #expect(test.club.contents.photos.map(\.name) == ["sea.jpg"])
        let stored = try #require(test.store.contents(of: "/photos/sea.jpg"))
        #expect(try JPEGHeader.read(stored).size == PixelSize(width: 1200, height: 300))
        #expect(try Data(contentsOf: source) == original)
        #expect(test.activity.count == 0)
    }

    @Test func cancelsWhileTheTransferRuns() async throws {
        let source = try file("sea.jpg", Photos.wide(width: 1200, height: 300))
        test.store.hold(.upload)
        let result = await run(PhotoUpload(source, named: "sea.jpg", in: test.club)) { upload in
            if case .sending = upload.phase { upload.cancel() }
        }
        test.store.release(.upload)
        guard case .cancelled = result else {
            Issue.record("\(result)")
            return
        }
        #expect(test.store.contents(of: "/photos/sea.jpg") == nil)
        #expect(test.activity.count == 0)
    }

    @Test(arguments: [
        (Data("no picture at all".utf8), PictureError.Code.notAPicture),
        (Data(), .empty),
        (Photos.truncated(), .truncated),
    ])
    func refusesWhatIsNoWholeJPEG(data: Data, code: PictureError.Code) async throws {
        let source = try file("bad.jpg", data)
        let result = await run(PhotoUpload(source, named: "bad.jpg", in: test.club))
        guard case .failed(.picture(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.code == code)
        let words = PhotoUpload.Failure.picture(error).sentence(
            about: "bad.jpg", in: test.club)
        #expect(words.text.contains("“bad.jpg”"))
        #expect(test.store.contents(of: "/photos/bad.jpg") == nil)
    }

    @Test func refusesAMissingFileAndAFolder() async throws {
        for (url, code) in [
            (folder.appendingPathComponent("none.jpg"), PictureError.Code.notFound),
            (folder, .isDirectory),
        ] {
            let result = await run(PhotoUpload(url, named: "x.jpg", in: test.club))
            guard case .failed(.picture(let error)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(error.code == code)
        }
    }

    @Test func refusesANameThatCannotBeStored() async throws {
        let source = try file("sea.jpg", Photos.wide(width: 300, height: 100))
        let result = await run(PhotoUpload(source, named: "a\u{1b}[2J.jpg", in: test.club))
        guard case .failed(.store(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.code == .nameNotAllowed)
    }

    @Test(arguments: [StoreError.Code.overQuota, .offline, .unauthorized, .serverError])
    func tellsWhyTheStoreRefused(code: StoreError.Code) async throws {
        let source = try file("sea.jpg", Photos.wide(width: 300, height: 100))
        test.store.failNext(.upload, with: code)
        let result = await run(PhotoUpload(source, named: "sea.jpg", in: test.club))
        guard case .failed(.store(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.code == code)
    }
}

@MainActor private final class Recorder: PhotoUploadDelegate {
    private let atProgress: (PhotoUpload) -> Void
    private var outcome: PhotoUpload.Result?
    private var continuation: CheckedContinuation<PhotoUpload.Result, Never>?

    init(atProgress: @escaping (PhotoUpload) -> Void) {
        self.atProgress = atProgress
    }

    func photoUploadDidProgress(_ upload: PhotoUpload) { atProgress(upload) }

    func photoUpload(_ upload: PhotoUpload, didFinishWith result: PhotoUpload.Result) {
        precondition(outcome == nil, "an upload finishes once")
        outcome = result
        continuation?.resume(returning: result)
    }

    func result() async -> PhotoUpload.Result {
        if let outcome { return outcome }
        return await withCheckedContinuation { continuation = $0 }
    }
}
