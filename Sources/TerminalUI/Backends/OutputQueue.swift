import Dispatch
import Glibc
import Synchronization

/// Writes frames with large pictures in the background: on a slow connection they take seconds, and keys must
/// not wait for them.
///
/// Parts are written in order. An obsolete picture is cut short: its sequence is terminated, and the rest is
/// not sent.
final class OutputQueue: Sendable {
    /// Bytes of a frame, or of a picture in it.
    struct Part: Sendable {
        var bytes: [UInt8]
        /// The picture that the bytes belong to, which can be dropped.
        var picture: UInt32?
        /// Sent instead of the rest if a picture is cut short.
        var ending: [UInt8] = []
    }

    /// The bytes written since the queue was empty, and the time taken.
    struct Report: Sendable {
        var pictureByteCount = 0
        var duration = Duration.zero
    }

    private struct State {
        var parts: [Part] = []
        /// How much of the first part was written, or is being written.
        var position = 0
        var isRunning = false
        var began = ContinuousClock.now
        var report = Report()
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "byteclub.terminal")
    /// Called on the queue when everything was written.
    private let didDrain: @Sendable (Report) -> Void

    /// The number of bytes per write: a picture can only be cut short between writes.
    static let pieceByteCount = 4096

    init(descriptor: Int32, didDrain: @escaping @Sendable (Report) -> Void) {
        self.descriptor = descriptor
        self.didDrain = didDrain
    }

    /// Whether bytes wait or are being written.
    var isBusy: Bool { state.withLock(\.isRunning) }

    /// The pictures in the queue, and their remaining bytes.
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

    /// Drops the rest of all pictures.
    ///
    /// - Returns: The pictures that are not shown, or incomplete.
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
                // The terminal is gone.
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

    /// The bytes that close all open strings after some output. Source: ECMA-48, 5.6; tmux(1).
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
        // Includes the end of the sequence inside.
        case .passthrough: [0x1B] + end + end
        case .passthroughEscape: end + end
        }
    }
}
