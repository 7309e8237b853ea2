import FoundationEssentials
import CurlNetworkingPlatform
import Synchronization

/// A temporary file that is removed with the last reference to it, unless it is kept.
///
/// A receiver may move the file before that.
final class TemporaryFile: Sendable {
    let path: String
    private let isOurs = Mutex(true)
    private let willBeShown: (@Sendable () -> Void)?

    /// Creates a reference to a file.
    ///
    /// - Parameter willBeShown: Called just before a delegate receives the file.
    init(path: String, willBeShown: (@Sendable () -> Void)? = nil) {
        self.path = path
        self.willBeShown = willBeShown
    }

    func announce() {
        willBeShown?()
    }

    var url: URL { URL(filePath: path, directoryHint: .notDirectory) }

    /// Leaves the file to its receiver.
    func keep() {
        isOurs.withLock { $0 = false }
    }

    func remove() {
        let removes = isOurs.withLock { isOurs in
            defer { isOurs = false }
            return isOurs
        }
        if removes { unlink(path) }
    }

    deinit {
        remove()
    }
}
