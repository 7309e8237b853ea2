import Foundation
import ByteClubPictures
import Synchronization
import Testing

@testable import ByteClub

@MainActor @Suite struct LocalThumbnailsTests {
    private let box = CellSize(columns: 4, rows: 2)

    private func entry(_ name: String) -> PhotoFolder.Entry {
        PhotoFolder.Entry(name: name, kind: .photo, path: "/p/" + name)
    }

    @Test func givesUpWhatIsScrolledAwayAndWorksAtWhatIsInSight() async {
        let (calls, continuation) = AsyncStream.makeStream(of: String.self)
        let ended = Mutex<Set<String>>([])
        let render: LocalThumbnails.Render = { path, _, _ in
            continuation.yield(path)
            if path.hasSuffix("slow.jpg") {
                // Until it is given up.
                try? await Task.sleep(for: .seconds(3_600))
                _ = ended.withLock { $0.insert(path) }
                return .failure(PictureError(.cancelled, operation: "show"))
            }
            return .failure(PictureError(.damaged, operation: "show"))
        }
        let thumbnails = LocalThumbnails(
            box: box, renderer: CellRenderer(style: .halfBlocks), render: render
        ) { body in Task { await body() } }
        var iterator = calls.makeAsyncIterator()
        thumbnails.show([entry("1 slow.jpg"), entry("2 slow.jpg"), entry("3.jpg")])
        let first = [await iterator.next(), await iterator.next()].compactMap { $0 }
        #expect(Set(first) == ["/p/1 slow.jpg", "/p/2 slow.jpg"])

        thumbnails.show([entry("4.jpg")])
        await withCheckedContinuation { arrived in
            thumbnails.onArrival = { arrived.resume() }
        }
        #expect(await iterator.next() == "/p/4.jpg")
        guard case .unavailable = thumbnails.state(of: entry("4.jpg")) else {
            Issue.record("it was not looked at")
            return
        }
        #expect(thumbnails.state(of: entry("1 slow.jpg")) == .loading)
        #expect(thumbnails.state(of: entry("3.jpg")) == .loading)
    }
}
