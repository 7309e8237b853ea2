/// The resources that decoding a picture may use.
///
/// `PictureLimits` decides which pictures are opened at all, the same on every machine. This is the second
/// line of defense: far above the needs of valid pictures, so that a faulty decoder is stopped soon.
struct PictureBudget: Sendable, Equatable {
    /// Private memory.
    var byteCount: Int
    var processorSeconds: Double
    /// Wall-clock time, with a margin for a busy machine.
    var seconds: Double
    /// The size of an output file.
    var fileByteCount: Int

    /// - Parameters:
    ///   - visitCount: The total number of blocks in all scans of a picture that is read whole.
    init(_ facts: PictureFacts, for task: PictureTask, visitCount: Int = 0) {
        let stored = facts.storedSize
        let shown = task.size(of: facts.size)
        let isTurned = facts.orientation != .up
        var isReencoded = false
        if case .reencoding = task { isReencoded = true }

        var estimate = Double(facts.byteCount) * 1e-8
        estimate += Double(stored.pixelCount) * Self.secondsPerPixel(facts.format)
        estimate += Double(visitCount) * 1e-8
        if facts.isReadWhole { estimate += Double(stored.pixelCount) * 1e-8 }
        if isReencoded {
            estimate += Double(stored.pixelCount) * (isTurned ? 2e-8 : 1e-8)
        } else {
            estimate += Double(min(shown.pixelCount, stored.pixelCount)) * 1e-7
        }
        self.init(estimate: estimate)

        // Rows in strips of 64, libjpeg's own memory, and metadata.
        byteCount = 32 << 20 + PictureLimits.profileByteCount * 3 + stored.width * 4 * 64 * 3
        byteCount += min(facts.coefficientByteCount, PictureLimits.residentCoefficientByteCount)
        if facts.format == .png, facts.isReadWhole { byteCount += stored.pixelCount * 4 }
        if facts.format.needsLibrary {
            // The file, the library's pixels, and a small stack for each of its threads.
            byteCount += facts.byteCount + 96 << 20
            byteCount += facts.heldPixelCount * Self.heldByteCount(facts.format)
            // Turned in memory, twice for a moment.
            if facts.format == .tiff, isReencoded, isTurned { byteCount += stored.pixelCount * 8 }
            if facts.format == .webp, isReencoded { byteCount += stored.pixelCount * 4 }
        }
        if isReencoded {
            if isTurned { byteCount += (stored.width + stored.height) * 4 * 64 * 2 }
            // A turned picture is in whole tiles for a while.
            let side = TileScratch.side
            let tiles = PixelSize(
                width: (stored.width + side - 1) / side, height: (stored.height + side - 1) / side)
            fileByteCount = tiles.pixelCount * side * side * 4 + 1 << 20
        } else {
            // As pixels, turned, as a growing file, and as the final file.
            byteCount += min(shown.pixelCount, PictureLimits.decodedPixelCount) * 20
        }
    }

    /// For requests without a picture.
    init() { self.init(estimate: 0) }

    private init(estimate: Double) {
        byteCount = 32 << 20
        fileByteCount = 0
        processorSeconds = 1 + estimate * Self.margin
        seconds = 10 + processorSeconds * 3
    }

    /// For each pixel that a library keeps in memory: decoded, and as it was compressed.
    private static func heldByteCount(_ format: FileFormat) -> Int {
        switch format {
        case .webp: 5
        // 8 bytes as stored, twice where the samples are apart, and 4 decoded.
        case .tiff: 20
        default: 10
        }
    }

    private static func secondsPerPixel(_ format: FileFormat) -> Double {
        switch format {
        case .png: 2.5e-8
        case .webp: 5e-8
        case .heic, .avif: 2e-7
        case .tiff, .gif: 5e-8
        default: 1e-8
        }
    }

    /// For machines slower than those that were measured.
    #if DEBUG
        private static let margin = 100.0
    #else
        private static let margin = 4.0
    #endif
}

extension PictureFacts {
    /// The sizes of the scratch files that decoding needs, in the order in which `ScratchFiles.given` takes
    /// them.
    func scratchByteCounts(for task: PictureTask) -> [Int] {
        var byteCounts: [Int] = []
        if coefficientByteCount > PictureLimits.residentCoefficientByteCount {
            byteCounts.append(coefficientByteCount)
        }
        if case .reencoding = task {
            let isTurned =
                switch format {
                case .jpeg: orientation != .up && orientation != .upMirrored
                case .png: orientation != .up
                default: false
                }
            if isTurned { byteCounts.append(0) }
        }
        return byteCounts
    }
}
