import FoundationEssentials
import Synchronization

/// What the uploads of this process were made with, so that their resume data alone is enough to go on.
///
/// Not in the resume data itself: that may come from anywhere, and must not say which file to send or
/// with which secrets.
enum UploadBodies {
    struct Body: Sendable {
        var request: URLRequest
        var source: BodySource
    }

    private static let bodies = Mutex<[(blob: Data, body: Body)]>([])
    private static let mostBodies = 32
    /// A body in memory that is larger has to be given again.
    private static let largestByteCount = 4 << 20

    static func remember(_ blob: Data, request: URLRequest, source: BodySource) {
        if case .data(let data) = source, data.count > largestByteCount { return }
        bodies.withLock { bodies in
            bodies.removeAll { $0.blob == blob }
            bodies.append((blob, Body(request: request, source: source)))
            if bodies.count > mostBodies { bodies.removeFirst() }
        }
    }

    static func find(_ blob: Data) -> Body? {
        bodies.withLock { bodies in bodies.first { $0.blob == blob }?.body }
    }
}
