import FoundationEssentials
import Glibc
import Synchronization

/// A temporary file that is removed, at the latest with the last reference to it, unless it is kept.
///
/// Anyone who is given the file may move it away before that.
final class TemporaryFile: Sendable {
    let path: String
    private let isOurs = Mutex(true)
    private let willBeShown: (@Sendable () -> Void)?

    /// - Parameter willBeShown: Called right before a delegate is given the file.
    init(path: String, willBeShown: (@Sendable () -> Void)? = nil) {
        self.path = path
        self.willBeShown = willBeShown
    }

    func announce() {
        willBeShown?()
    }

    var url: URL { URL(filePath: path, directoryHint: .notDirectory) }

    /// Leaves the file to the one it was given to.
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
