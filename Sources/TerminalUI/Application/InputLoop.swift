import Glibc

/// Reads the terminal's input in large chunks and passes on the events.
@MainActor
final class InputLoop {
    /// Bytes read since the program began.
    private(set) var byteCount = 0
    /// Called after each turn in which something was read.
    var didRead: (() -> Void)?

    private let descriptor: Int32
    private var decoder: InputDecoder
    private let watch: ReadWatch
    private weak var application: Application?
    private var escapeTimer: ScheduledAction?
    private var isPaused = false
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    init(descriptor: Int32, decoder: InputDecoder, application: Application) {
        self.descriptor = descriptor
        self.decoder = decoder
        self.application = application
        watch = ReadWatch(descriptor)
        watch.start { [weak self] in self?.readAvailable() }
    }

    /// Whether input is pending: unread, or an Esc that may begin a sequence.
    var isPending: Bool { decoder.isPending || hasUnreadBytes }

    func stop() {
        escapeTimer?.cancel()
        watch.cancel()
    }

    /// Leaves the terminal's input to other programs until ``resume()``.
    func pause() {
        guard !isPaused else { return }
        isPaused = true
        watch.suspend()
    }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        watch.resume()
    }

    /// The number of bytes received since the start, read or not.
    var endOfQueue: Int {
        var count: Int32 = 0
        return byteCount + (ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0)
    }

    private var hasUnreadBytes: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }

    /// Reads the available bytes; continuous input is split, so that frames are drawn.
    private func readAvailable() {
        escapeTimer?.cancel()
        escapeTimer = nil
        var remaining = decoder.isPasting ? 64 << 20 : 1 << 20
        while remaining > 0, !isPaused, hasUnreadBytes {
            // Input before the boundary is passed on separately.
            let ahead = (application?.typeAhead.boundary ?? 0) - byteCount
            let count = buffer.withUnsafeMutableBytes { bytes in
                read(
                    descriptor, bytes.baseAddress,
                    ahead > 0 ? min(ahead, bytes.count) : bytes.count)
            }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else {
                // The terminal is gone; otherwise it would be read in an endless loop.
                watch.cancel()
                application?.handle(signal: SIGHUP)
                return
            }
            byteCount += count
            remaining -= count
            let events = buffer.withUnsafeBufferPointer { decoder.decode($0[..<count]) }
            hand(on: events)
        }
        waitForRestOfEscape()
        finishTurn()
        didRead?()
    }

    private func waitForRestOfEscape() {
        guard decoder.isEscapePending, !decoder.isPasting, let application else { return }
        escapeTimer = application.scheduler.schedule(after: escapeDelay(application)) {
            [weak self] in
            guard let self else { return }
            // After a long turn: the rest is available, only the timer fired first.
            if hasUnreadBytes, !isPaused { return readAvailable() }
            hand(on: decoder.flush())
            finishTurn()
        }
    }

    /// While replies of the terminal are pending, and behind `Esc [`, the delay is longer: on a slow connection a
    /// reply or a paste may be split anywhere, and its parts would be taken for keys.
    private func escapeDelay(_ application: Application) -> Duration {
        let usual = application.configuration.escapeDelay
        if decoder.isSequencePending { return max(usual, .seconds(1)) }
        guard application.screen.awaitsReplies else { return usual }
        return max(usual, decoder.isLoneEscape ? .milliseconds(100) : .seconds(1))
    }

    private func hand(on events: [InputEvent]) {
        for event in events {
            guard let application, application.ending.status == nil else { return }
            application.handle(event, at: byteCount)
        }
    }

    private func finishTurn() {
        application?.idle.noteWork()
        application?.drawIfNeeded()
        application?.checkIdle()
    }
}
