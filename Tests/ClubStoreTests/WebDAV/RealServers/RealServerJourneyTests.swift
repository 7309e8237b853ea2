import ClubStore
import Foundation
import TestSupport
import Testing

/// What a person does with a club in a day, on every real server that this machine has.
@Suite struct RealServerJourneyTests {
    @Test(arguments: RealWebDAVServer.Kind.allCases, [300_000, 11 << 20])
    func aPhotoGoesUpAndComesBack(
        _ kind: RealWebDAVServer.Kind, _ byteCount: Int
    ) async throws {
        let store = try await makeStore(on: kind)
        let folder = try TemporaryFolder()
        var photo = Photos.corners(width: 800, height: 600)
        // What is behind the end of the picture is looked at by nobody.
        photo.append(
            Data((photo.count..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }))
        let source = try folder.write(photo, to: "source")
        let place = try path("/photos/naïve [a]+b&c #1 100%.jpg")
        let file = try await Recorder.upload(source, to: place, in: store)
        #expect(file.byteCount == Int64(byteCount))
        let target = folder.url.appending(path: "target")
        #expect(try await Recorder.download(place, to: target, in: store) == file)
        #expect(try Data(contentsOf: target) == photo)
        for await (_, result) in store.thumbnails(of: [place], size: .w128h128) {
            #expect(try result.get().starts(with: [0xFF, 0xD8]))
        }
        #expect(try await store.list(.root, recursive: true).files == [file])
    }
}
