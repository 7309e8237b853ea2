import Glibc

/// Reports to a test that everything was processed and drawn.
///
/// With a descriptor, a line `idle <bytes> <columns>x<rows>` is written to it each time something happened
/// and nothing is pending: no key unread, no lone Esc waiting, no activity running, no change undrawn.
/// `bytes` counts what was read from the terminal since the start.
struct IdleReporter {
    private let descriptor: Int32?
    private var hasNews = false

    /// Pending work that will change the screen.
    var activityCount = 0

    /// Whether a check is queued.
    var isChecking = false

    init(descriptor: Int32?) { self.descriptor = descriptor }

    var isWanted: Bool { descriptor != nil && hasNews && activityCount == 0 }

    mutating func noteWork() { hasNews = true }

    mutating func report(byteCount: Int, size: Size) {
        guard let descriptor, isWanted else { return }
        hasNews = false
        let line = Array("idle \(byteCount) \(size.width)x\(size.height)\n".utf8)
        // The test may have ended: this must not fail.
        _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}

extension Application.Configuration {
    /// Reports idleness on the inherited descriptor named by an environment variable; never on one of the
    /// standard descriptors.
    public mutating func reportIdle(toDescriptorIn variable: String) {
        guard let value = getenv(variable), let descriptor = Int32(String(cString: value)),
            descriptor > 2
        else { return }
        idleDescriptor = descriptor
    }
}
