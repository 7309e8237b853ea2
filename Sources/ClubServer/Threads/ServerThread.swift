import CLinux

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

    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Parameter name: At most 15 bytes.
    /// - Returns: false when the system has no thread left.
    @discardableResult
    static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let start = Unmanaged.passRetained(Start(name, body))
        let code = byteclub_start_thread(runThread, start.toOpaque())
        if code != 0 { start.release() }
        return code == 0
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
