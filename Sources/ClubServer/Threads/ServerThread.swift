import CByteClubLinux

/// A dedicated thread.
///
/// Dispatch is not used: once anything has run on one of its global queues, as with the default
/// executor and `Task.sleep`, it wakes up every second to count its threads. An idle club must not
/// wake up.
enum ServerThread {
    private final class Start: Sendable {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    enum StartResult {
        case started
        /// The system has none.
        case noThreadLeft
    }

    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Parameter name: At most 15 bytes.
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> StartResult {
        let start = Unmanaged.passRetained(Start(name, body))
        let code = byteclub_start_thread(runThread, start.toOpaque())
        guard code == 0 else {
            start.release()
            return .noThreadLeft
        }
        return .started
    }

    fileprivate static func run(_ opaque: UnsafeMutableRawPointer) {
        let start = Unmanaged<Start>.fromOpaque(opaque).takeRetainedValue()
        byteclub_name_thread(start.name)
        start.body()
    }
}

private func runThread(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let start { ServerThread.run(start) }
    return nil
}
