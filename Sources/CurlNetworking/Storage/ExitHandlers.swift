import Glibc
import Synchronization

/// Something that may have to be written before the process exits.
protocol ExitHandler: AnyObject, Sendable {
    func handleExit()
}

/// Asks everybody concerned when the process exits.
///
/// A program that ends right after its answer has come (`exit`, or the end of `main`) would otherwise
/// lose the cookies it came with.
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
