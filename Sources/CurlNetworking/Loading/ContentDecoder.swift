import CZlib

/// Undoes `gzip` or `deflate` while the bytes come, and knows whether all of them came.
///
/// libcurl 7.88 undoes them as well, but takes a stream that stops midway for its end.
///
/// | coding | what is read |
/// |---|---|
/// | `gzip`, `x-gzip` | RFC 1952: one member or several, joined |
/// | `deflate` | RFC 1950, or RFC 1951 without a frame, as some servers send it |
///
/// What follows the end is passed over, as browsers do: some servers append zeros or line ends. No bytes
/// at all are an empty body.
final class ContentDecoder {
    enum Failure: Error {
        /// The bytes are none of the coding's, or their checksum is wrong.
        case malformed
    }

    private enum Stage {
        /// Not enough bytes yet to know what comes.
        case beginning
        case inflating
        /// A member of gzip has ended; another may follow.
        case betweenMembers
        case ended
    }

    private let isGzip: Bool
    private var stage = Stage.beginning
    /// The first bytes of a stream, as long as they do not show what it is.
    private var start: [UInt8] = []
    private var stream: UnsafeMutableRawPointer?
    private let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ContentDecoder.pieceByteCount, alignment: 16)

    /// The most that comes out at once.
    static let pieceByteCount = 64 << 10

    /// - Parameter coding: In lower case; nil for one that this does not know.
    init?(_ coding: String) {
        switch coding {
        case "gzip", "x-gzip": isGzip = true
        case "deflate": isGzip = false
        default: return nil
        }
    }

    deinit {
        byteclub_inflate_end(stream)
        room.deallocate()
    }

    /// Whether the body may end here.
    var isComplete: Bool {
        switch stage {
        case .beginning: start.isEmpty
        case .inflating: false
        case .betweenMembers, .ended: true
        }
    }

    /// Takes bytes as they come, cut anywhere.
    ///
    /// - Parameter take: Gets the decoded bytes, piece by piece.
    /// - Returns: What `take` has said last.
    func decode(
        _ bytes: UnsafeRawBufferPointer,
        _ take: (UnsafeRawBufferPointer) throws(Failure) -> DecodingDemand
    ) throws(Failure) -> DecodingDemand {
        var rest = bytes
        while !rest.isEmpty {
            switch stage {
            case .beginning, .betweenMembers:
                start.append(rest[0])
                rest = UnsafeRawBufferPointer(rebasing: rest[1...])
                guard let begins = beginsStream else { continue }
                let first = start
                start = []
                guard begins else {
                    stage = .ended
                    continue
                }
                try openStream(first)
                stage = .inflating
                guard try inflate(first, take) == .more else { return .enough }
            case .inflating:
                guard try inflate(&rest, take) == .more else { return .enough }
            case .ended:
                return .more
            }
        }
        return .more
    }

    /// Whether a stream begins with `start`; nil while that is not known.
    private var beginsStream: Bool? {
        guard stage == .betweenMembers else { return start.count == 2 ? true : nil }
        guard start[0] == 0x1F else { return false }
        return start.count == 2 ? start[1] == 0x8B : nil
    }

    private func openStream(_ first: [UInt8]) throws(Failure) {
        if let stream { return byteclub_inflate_restart(stream) }
        // RFC 1950 §2.2: the method, a window of 32 KiB at most, and a check of both bytes. Without a frame
        // no compressor begins like that: it would be a stored block with bits that mean nothing.
        let isFramed =
            first[0] & 0x0F == 8 && first[0] >> 4 <= 7
            && (Int(first[0]) << 8 | Int(first[1])) % 31 == 0
        stream = byteclub_inflate_start(
            isGzip
                ? byteclub_inflate_gzip : isFramed ? byteclub_inflate_zlib : byteclub_inflate_raw)
        guard stream != nil else { throw .malformed }
    }

    private func inflate(
        _ first: [UInt8], _ take: (UnsafeRawBufferPointer) throws(Failure) -> DecodingDemand
    ) throws(Failure) -> DecodingDemand {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: first.count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: first)
        var rest = UnsafeRawBufferPointer(bytes)
        return try inflate(&rest, take)
    }

    /// Goes on until the bytes or the stream are at their end.
    private func inflate(
        _ rest: inout UnsafeRawBufferPointer,
        _ take: (UnsafeRawBufferPointer) throws(Failure) -> DecodingDemand
    ) throws(Failure) -> DecodingDemand {
        while let stream, let input = rest.baseAddress, let output = room.baseAddress {
            let step = byteclub_inflate(stream, input, rest.count, output, room.count)
            rest = UnsafeRawBufferPointer(rebasing: rest[step.taken...])
            guard step.state != byteclub_inflate_failed,
                step.taken > 0 || step.made > 0 || rest.isEmpty
            else { throw .malformed }
            if step.made > 0 {
                let made = UnsafeRawBufferPointer(rebasing: room[..<step.made])
                guard try take(made) == .more else { return .enough }
            }
            if step.state == byteclub_inflate_is_at_end {
                stage = isGzip ? .betweenMembers : .ended
                return .more
            }
            // What fills the room may have left something inside, even of the last byte.
            if rest.isEmpty, step.made < room.count { return .more }
        }
        return .more
    }
}

/// Whether who takes decoded bytes wants more of them.
enum DecodingDemand {
    case more
    case enough
}

/// A body that was coded several times over.
struct ContentDecoding {
    private let layers: [ContentDecoder]

    /// As many as libcurl undoes.
    static let mostLayers = 5

    /// - Parameter codings: The one that was applied last first. nil when there is none, or one of them
    ///   is not known here.
    init?(_ codings: [String]) {
        let layers = codings.prefix(Self.mostLayers + 1).compactMap { ContentDecoder($0) }
        guard !layers.isEmpty, layers.count == codings.count, layers.count <= Self.mostLayers
        else { return nil }
        self.layers = layers
    }

    /// Whether the body may end here.
    var isComplete: Bool { layers.allSatisfy(\.isComplete) }

    var isNested: Bool { layers.count > 1 }

    /// As ``ContentDecoder/decode(_:_:)``, through all codings.
    func decode(
        _ bytes: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> DecodingDemand
    ) throws(ContentDecoder.Failure) -> DecodingDemand {
        try decode(bytes, from: 0, take)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, from layer: Int,
        _ take: (UnsafeRawBufferPointer) -> DecodingDemand
    ) throws(ContentDecoder.Failure) -> DecodingDemand {
        guard layer < layers.count else { return take(bytes) }
        return try layers[layer].decode(bytes) { piece throws(ContentDecoder.Failure) in
            try decode(piece, from: layer + 1, take)
        }
    }
}
