import CByteClubTurboJPEG

extension JPEGDecoder {
    /// Checks that a picture with several scans is plausible and not too costly, before libjpeg allocates
    /// memory for it.
    ///
    /// Each block takes at least one bit of its first scan (T.81, F.1.2 and G.1.2: a code of the Huffman
    /// table for the DC difference). So a file of n bytes contains at most 8 × n blocks, whatever it claims.
    ///
    /// - Throws: `PictureError`: `.truncated`, `.damaged` (too many scans), `.tooCostly`, `.unreadable`,
    ///   `.tooLarge` (the file) or `.cancelled`.
    func checkScans() throws(PictureError) {
        guard let start = head.scanPosition else { throw error(.truncated) }
        var blocks: [Int32: Int] = [:]
        for index in 0..<Int(handle.pointee.info.num_components) {
            let component = handle.pointee.info.comp_info[index]
            blocks[component.component_id] =
                Int(component.width_in_blocks) * Int(component.height_in_blocks)
        }
        try JPEGScans.check(bytes, from: start, blocks: blocks, to: operation)
    }

    var tooManyScans: PictureError { JPEGScans.tooMany(operation) }
    var tooMuchWork: PictureError { JPEGScans.tooMuchWork(operation) }
}

/// Parses a picture's scan headers, without libjpeg.
enum JPEGScans {
    /// Reads a file from its first scan to its end.
    ///
    /// - Parameter blocks: The number of blocks of 8 × 8 samples by component.
    /// - Returns: The total number of blocks in all scans.
    @discardableResult
    static func check(
        _ bytes: PictureBytes, from start: Int, blocks: [Int32: Int], to operation: String
    ) throws(PictureError) -> Int {
        let blockCount = blocks.values.reduce(0, +)
        var reader = PictureByteReader(bytes, from: start, to: operation)
        var (scanCount, visitCount) = (0, 0)
        var next: UInt8? = 0xDA
        while let code = next, code != 0xD9 {
            switch code {
            case 0x01, 0xD0...0xD8:
                break
            case 0xDA:
                scanCount += 1
                let components = try components(ofScanIn: &reader)
                // A component that is not in the frame: libjpeg decides about it.
                visitCount += components.reduce(0) { $0 + (blocks[$1] ?? blockCount) }
                guard scanCount <= PictureLimits.scanCount else { throw tooMany(operation) }
                guard visitCount <= PictureLimits.blockVisitCount else {
                    throw tooMuchWork(operation)
                }
            default:
                guard let length = try reader.word() else { break }
                reader.skip(max(0, length - 2))
            }
            next = try reader.marker()
        }
        guard blockCount <= (reader.position - start) * 8 else {
            throw reader.error(.truncated, detail: "\(blockCount) blocks need more bytes")
        }
        return visitCount
    }

    /// The components in a scan (T.81, B.2.3); skips its header.
    private static func components(
        ofScanIn reader: inout PictureByteReader
    ) throws(PictureError) -> [Int32] {
        guard let length = try reader.word(), length >= 3, let count = try reader.byte() else {
            return []
        }
        let rest = try reader.bytes(length - 3)
        return stride(from: 0, to: min(Int(count) * 2, rest.count), by: 2).map { Int32(rest[$0]) }
    }

    static func tooMany(_ operation: String) -> PictureError {
        PictureError(
            .damaged, operation: operation, detail: "more than \(PictureLimits.scanCount) scans")
    }

    static func tooMuchWork(_ operation: String) -> PictureError {
        PictureError(
            .tooCostly, operation: operation,
            detail: "more than \(PictureLimits.blockVisitCount) blocks in all scans")
    }
}
