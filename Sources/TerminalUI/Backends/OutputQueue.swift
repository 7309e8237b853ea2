import Dispatch
import Glibc
import Synchronization

/// Writes frames with large pictures in the background: over a slow line they take seconds, and keys are not to
/// wait for them.
///
/// What is handed over is written in order. A picture that nobody wants to see any more is cut short: the sequence
/// that was begun is ended, and the rest is not sent.
final class OutputQueue: Sendable {
    /// Bytes of a frame, or of a picture in it.
    struct Part: Sendable {
        var bytes: [UInt8]
        /// The picture that they are, which can be left out.
        var picture: UInt32?
        /// What is sent after the beginning of a picture in place of its rest.
        var ending: [UInt8] = []
    }

    /// What was written since the queue was empty, and how long that took.
    struct Report: Sendable {
        var pictureByteCount = 0
        var duration = Duration.zero
    }

    private struct State {
        var parts: [Part] = []
        /// How much of the first part is written, or is being written.
        var position = 0
        var isRunning = false
        var began = ContinuousClock.now
        var report = Report()
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "byteclub.terminal")
    /// Called on the queue when all is written.
    private let didDrain: @Sendable (Report) -> Void

    /// Bytes written at once: as long as the terminal takes for them, a picture cannot be cut short.
    static let pieceByteCount = 4096

    init(descriptor: Int32, didDrain: @escaping @Sendable (Report) -> Void) {
        self.descriptor = descriptor
        self.didDrain = didDrain
    }

    /// Whether bytes wait or are being written.
    var isBusy: Bool { state.withLock(\.isRunning) }

    /// The pictures on their way, and how many bytes of them are left.
    var pictures: (ids: [UInt32], byteCount: Int) {
        state.withLock { state in
            let pictures = state.parts.filter { $0.picture != nil }
            let count = pictures.reduce(0) { $0 + $1.bytes.count }
            let isFirst = state.parts.first?.picture != nil
            return (pictures.compactMap(\.picture), count - (isFirst ? state.position : 0))
        }
    }

    func add(_ parts: [Part]) {
        let isFirst = state.withLock { state in
            state.parts += parts.filter { !$0.bytes.isEmpty }
            guard !state.isRunning, !state.parts.isEmpty else { return false }
            state.isRunning = true
            state.began = .now
            state.report = Report()
            return true
        }
        if isFirst { queue.async { @Sendable [self] in writeAll() } }
    }

    /// Leaves out what is left of all pictures.
    ///
    /// - Returns: Those that are not shown, or not whole.
    func cutPictures() -> [UInt32] {
        state.withLock { state in
            var cut: [UInt32] = []
            for index in state.parts.indices {
                guard let picture = state.parts[index].picture else { continue }
                cut.append(picture)
                let part = state.parts[index]
                let sent = index == 0 ? state.position : 0
                state.parts[index] = Part(
                    bytes: sent == 0
                        ? [] : ControlString.ending(of: part.bytes[..<sent]) + part.ending)
                if index == 0 { state.position = 0 }
            }
            return cut
        }
    }

    /// Returns when all is written.
    func wait() { queue.sync {} }

    private func writeAll() {
        while let piece = nextPiece() {
            guard write(piece) == .written else {
                // There is no terminal any more.
                state.withLock { $0.parts = [] }
                continue
            }
        }
        didDrain(state.withLock(\.report))
    }

    private func nextPiece() -> ArraySlice<UInt8>? {
        state.withLock { state in
            while let part = state.parts.first {
                let left = part.bytes.count - state.position
                guard left > 0 else {
                    state.parts.removeFirst()
                    state.position = 0
                    continue
                }
                let count = min(left, Self.pieceByteCount)
                defer { state.position += count }
                if part.picture != nil { state.report.pictureByteCount += count }
                return part.bytes[state.position..<state.position + count]
            }
            state.isRunning = false
            state.report.duration = state.began.duration(to: .now)
            return nil
        }
    }

    private enum Outcome { case written, failed }

    private func write(_ piece: ArraySlice<UInt8>) -> Outcome {
        piece.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&request, 1, 1000)
                } else if errno != EINTR {
                    return .failed
                }
            }
            return .written
        }
    }
}

/// The strings between `ESC P`, `ESC ]`, `ESC _`, `ESC ^` or `ESC X` and `ESC \`.
enum ControlString {
    private enum State {
        case ground, escape
        case string, stringEscape
        /// tmux's passthrough: each Esc in it is doubled.
        case passthrough, passthroughEscape
    }

    /// What has to be written after some bytes so that no string is open. Source: ECMA-48, 5.6; tmux(1).
    static func ending(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var state = State.ground
        let tmux = Array("Ptmux;".utf8)
        for index in bytes.indices {
            let byte = bytes[index]
            switch state {
            case .ground: if byte == 0x1B { state = .escape }
            case .escape:
                if bytes[index...].starts(with: tmux) {
                    state = .passthrough
                } else {
                    state = "P]_^X".utf8.contains(byte) ? .string : .ground
                }
            case .string:
                if byte == 0x1B { state = .stringEscape }
                if byte == 0x07 { state = .ground }
            case .stringEscape: state = byte == 0x1B ? .stringEscape : .ground
            case .passthrough: if byte == 0x1B { state = .passthroughEscape }
            case .passthroughEscape: state = byte == 0x1B ? .passthrough : .ground
            }
        }
        let end: [UInt8] = [0x1B, 0x5C]
        return switch state {
        case .ground: []
        case .escape, .stringEscape: [0x5C]
        case .string: end
        // That of the sequence inside, too.
        case .passthrough: [0x1B] + end + end
        case .passthroughEscape: end + end
        }
    }
}
