import Glibc

/// Tells a test that everything has been done and drawn.
///
/// With a descriptor, a line `idle <bytes> <columns>x<rows>` is written to it each time something
/// happened and nothing is pending any more: no key unread, no lone Esc waiting, no activity
/// running, no change undrawn. `bytes` counts what was read from the terminal since the start.
struct IdleReporter {
    private let descriptor: Int32?
    private var hasNews = false

    /// Work under way whose end will change the screen.
    var activityCount = 0

    /// Whether a check waits in the queue already.
    var isChecking = false

    init(descriptor: Int32?) { self.descriptor = descriptor }

    var isWanted: Bool { descriptor != nil && hasNews && activityCount == 0 }

    mutating func noteWork() { hasNews = true }

    mutating func report(byteCount: Int, size: Size) {
        guard let descriptor, isWanted else { return }
        hasNews = false
        let line = Array("idle \(byteCount) \(size.width)x\(size.height)\n".utf8)
        // A test that has gone away must not make the app fail.
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}

extension Application.Configuration {
    /// Has a test told when all is drawn, where a variable of the environment names an inherited descriptor;
    /// never one of the three standard ones.
    public mutating func reportIdle(toDescriptorIn variable: String) {
        guard let value = getenv(variable), let descriptor = Int32(String(cString: value)),
            descriptor > 2
        else { return }
        idleDescriptor = descriptor
    }
}
