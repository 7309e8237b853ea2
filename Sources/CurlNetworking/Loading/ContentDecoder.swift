import CByteClubZlib

/// Decodes `gzip` or `deflate` incrementally, and detects truncated data.
///
/// libcurl 7.88 decodes them as well, but takes a truncated stream for a complete one.
///
/// | coding | accepted |
/// |---|---|
/// | `gzip`, `x-gzip` | RFC 1952: one member, or several concatenated ones |
/// | `deflate` | RFC 1950, or RFC 1951 without a header, as some servers send it |
///
/// Bytes after the end are ignored, as in browsers: some servers append zeros or line ends. Empty input is an
/// empty body.
final class ContentDecoder {
    enum Failure: Error {
        /// The input is invalid, or its checksum is wrong.
        case malformed
    }

    private enum Stage {
        /// There is not enough input to recognize the format.
        case beginning
        case inflating
        /// A gzip member has ended; another may follow.
        case betweenMembers
        case ended
    }

    private let isGzip: Bool
    private var stage = Stage.beginning
    /// The first bytes, until they show the format.
    private var start: [UInt8] = []
    private var stream: UnsafeMutableRawPointer?
    private let room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: ContentDecoder.pieceByteCount, alignment: 16)

    /// The maximum length of a decoded piece.
    static let pieceByteCount = 64 << 10

    /// Creates a decoder.
    ///
    /// - Parameter coding: The coding in lower case. Returns nil if it is unknown.
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

    /// Whether the input may end here.
    var isComplete: Bool {
        switch stage {
        case .beginning: start.isEmpty
        case .inflating: false
        case .betweenMembers, .ended: true
        }
    }

    /// Decodes the next input bytes.
    ///
    /// - Parameter take: Receives the decoded pieces.
    /// - Returns: The last result of `take`.
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

    /// Whether a stream begins with `start`; nil while that is unknown.
    private var beginsStream: Bool? {
        guard stage == .betweenMembers else { return start.count == 2 ? true : nil }
        guard start[0] == 0x1F else { return false }
        return start.count == 2 ? start[1] == 0x8B : nil
    }

    private func openStream(_ first: [UInt8]) throws(Failure) {
        if let stream { return byteclub_inflate_restart(stream) }
        // RFC 1950 §2.2: the method, a window of 32 KiB at most, and a checksum of both bytes. Raw deflate
        // data does not begin like this: it would be a stored block with undefined bits.
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

    /// Decodes until the input or the stream ends.
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
            // If the output buffer is full, zlib may hold back output, even of the last input byte.
            if rest.isEmpty, step.made < room.count { return .more }
        }
        return .more
    }
}

/// Whether the receiver wants more decoded bytes.
enum DecodingDemand {
    case more
    case enough
}

/// The decoding of a body with several codings.
struct ContentDecoding {
    private let layers: [ContentDecoder]

    /// The same maximum as libcurl's.
    static let maximumLayers = 5

    /// Creates the decoders.
    ///
    /// - Parameter codings: The codings, the last applied first. Returns nil if there are none or one is
    ///   unknown.
    init?(_ codings: [String]) {
        let layers = codings.prefix(Self.maximumLayers + 1).compactMap { ContentDecoder($0) }
        guard !layers.isEmpty, layers.count == codings.count, layers.count <= Self.maximumLayers
        else { return nil }
        self.layers = layers
    }

    /// Whether the input may end here.
    var isComplete: Bool { layers.allSatisfy(\.isComplete) }

    var isNested: Bool { layers.count > 1 }

    /// Decodes the next input bytes with all codings. See ``ContentDecoder/decode(_:_:)``.
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
