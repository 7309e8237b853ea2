/// What a picture may cost the process that decodes it.
///
/// `PictureLimits` says which pictures are opened at all, on every machine alike. This is the second
/// line: far above what any of those takes, so that a fault of a decoder ends soon.
struct PictureBudget: Sendable, Equatable {
    /// Of private memory.
    var byteCount: Int
    var processorSeconds: Double
    /// On the clock on the wall, for a machine that does other things too.
    var seconds: Double
    /// Of a file that it writes.
    var fileByteCount: Int

    /// - Parameters:
    ///   - visitCount: The blocks that all scans go through, of a picture that is read whole.
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

        // Rows on their way, in strips of 64, and libjpeg's own; what is between markers and chunks.
        byteCount = 32 << 20 + PictureLimits.profileByteCount * 3 + stored.width * 4 * 64 * 3
        byteCount += min(facts.coefficientByteCount, PictureLimits.residentCoefficientByteCount)
        if facts.format == .png, facts.isReadWhole { byteCount += stored.pixelCount * 4 }
        if facts.format.needsLibrary {
            // The file, the library's own pixels, and for a small stack each its threads.
            byteCount += facts.byteCount + 96 << 20
            byteCount += stored.pixelCount * (facts.format == .webp ? 5 : 10)
            if facts.format == .webp, isReencoded { byteCount += stored.pixelCount * 4 }
        }
        if isReencoded {
            if isTurned { byteCount += (stored.width + stored.height) * 4 * 64 * 2 }
            fileByteCount = stored.pixelCount * 4 + 1 << 20
        } else {
            // As pixels, turned, as a file that grows, and as the file.
            byteCount += min(shown.pixelCount, PictureLimits.decodedPixelCount) * 20
        }
    }

    /// For what has no picture.
    init() { self.init(estimate: 0) }

    private init(estimate: Double) {
        byteCount = 32 << 20
        fileByteCount = 0
        processorSeconds = 1 + estimate * Self.margin
        seconds = 10 + processorSeconds * 3
    }

    private static func secondsPerPixel(_ format: FileFormat) -> Double {
        switch format {
        case .png: 2.5e-8
        case .webp: 5e-8
        case .heic, .avif: 2e-7
        default: 1e-8
        }
    }

    /// For machines that are slower than those the estimates come from.
    #if DEBUG
        private static let margin = 100.0
    #else
        private static let margin = 4.0
    #endif
}

extension PictureFacts {
    /// The scratch files that decoding will want, by their size on the disk: in the order in which
    /// `ScratchFiles.given` takes them.
    func scratchByteCounts(for task: PictureTask) -> [Int] {
        var byteCounts: [Int] = []
        if coefficientByteCount > PictureLimits.residentCoefficientByteCount {
            byteCounts.append(coefficientByteCount)
        }
        if case .reencoding = task, format == .jpeg,
            orientation != .up, orientation != .upMirrored
        {
            byteCounts.append(0)
        }
        return byteCounts
    }
}
