import FoundationEssentials
import Synchronization

/// The requests and bodies of this process's uploads, so that resume data alone suffices to resume them.
///
/// They are not in the resume data, because that may come from an untrusted place and must not determine
/// which file is sent with which credentials.
enum UploadBodies {
    struct Body: Sendable {
        var request: URLRequest
        var source: BodySource
    }

    private static let bodies = Mutex<[(blob: Data, body: Body)]>([])
    private static let mostBodies = 32
    /// The maximum length of a body that is kept in memory.
    private static let largestByteCount = 4 << 20

    static func remember(_ blob: Data, request: URLRequest, source: BodySource) {
        if case .data(let data) = source, data.count > largestByteCount { return }
        bodies.withLock { bodies in
            bodies.removeAll { $0.blob == blob }
            bodies.append((blob, Body(request: request, source: source)))
            if bodies.count > mostBodies { bodies.removeFirst() }
        }
    }

    /// Forgets an upload that is complete.
    static func forget(_ blob: Data) {
        bodies.withLock { bodies in bodies.removeAll { $0.blob == blob } }
    }

    static func find(_ blob: Data) -> Body? {
        bodies.withLock { bodies in bodies.first { $0.blob == blob }?.body }
    }
}
