import ByteClubPictures
import ClubStore
import Foundation
import TestSupport
import Testing

@testable import ClubAccess

/// An upload that is tried again is not encoded again, unless its file has changed.
@MainActor @Suite final class PreparedUploadsTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("prepared-\(UUID().uuidString)", isDirectory: true)

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test func keepsAPhotoUntilItsFileChanges() async throws {
        let file = folder.appending(path: "sea.jpg")
        try Photos.wide(width: 300, height: 100).write(to: file)
        let source = try #require(LocalFileState(at: file))
        let photo = try await PictureWorkers.shared.prepare(file, as: PhotoPreparation()) { _ in }
        let prepared = PreparedUploads()
        #expect(prepared.photo(of: "a", from: source) == nil)
        prepared.keep(photo, of: "a", from: source)
        #expect(prepared.photo(of: "a", from: source)?.url == photo.url)
        #expect(prepared.photo(of: "b", from: source) == nil)

        try Photos.wide(width: 600, height: 100).write(to: file)
        let changed = try #require(LocalFileState(at: file))
        #expect(prepared.photo(of: "a", from: changed) == nil)
        prepared.remove("a")
        #expect(prepared.photo(of: "a", from: source) == nil)

        for id in 1...5 { prepared.keep(photo, of: "\(id)", from: source) }
        #expect(
            (1...5).map { prepared.photo(of: "\($0)", from: source) != nil }
                == [false, true, true, true, true])
    }
}
