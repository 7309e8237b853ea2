import CurlNetworkingPlatform
import Synchronization

/// An object that may have to write data before the process exits.
protocol ExitHandler: AnyObject, Sendable {
    func handleExit()
}

/// Calls all registered handlers when the process exits.
///
/// Otherwise, a program that exits right after a response (`exit`, or the end of `main`) would lose its
/// cookies.
enum ExitHandlers {
    private struct Entry: Sendable {
        weak var handler: (any ExitHandler)?
    }

    private static let handlers = Mutex<[Entry]>([])
    private static let registration: Int32 = atexit { ExitHandlers.runAll() }

    static func add(_ handler: any ExitHandler) {
        _ = registration
        handlers.withLock { handlers in
            handlers.removeAll { $0.handler == nil }
            handlers.append(Entry(handler: handler))
        }
    }

    static func runAll() {
        for entry in handlers.withLock({ $0 }) { entry.handler?.handleExit() }
    }
}
