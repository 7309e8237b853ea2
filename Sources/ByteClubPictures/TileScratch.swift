import FoundationEssentials
import Glibc

/// A picture in a nameless file, stored as square tiles, so that it can be written by rows and read by rows
/// or by columns in large pieces with little memory.
///
/// Used to turn a picture of any size: a strip of its rows is one row of tiles, and a strip of the turned
/// picture's rows is one column of tiles.
struct TileScratch: ~Copyable {
    /// The pixels per side of a tile. 64 × 64 pixels of 3 bytes are three memory pages.
    static let side = 64

    private let file: ScratchFile
    private let size: PixelSize
    private let pixelByteCount: Int
    private let tileByteCount: Int
    private let tileColumnCount: Int
    private let tileRowCount: Int
    private let operation: String

    /// - Throws: `.cannotWrite` or `.diskFull`.
    init(
        size: PixelSize, pixelByteCount: Int, in files: ScratchFiles, to operation: String
    ) throws(PictureError) {
        file = try files.makeForTurning(to: operation)
        self.size = size
        self.pixelByteCount = pixelByteCount
        self.operation = operation
        tileByteCount = Self.side * Self.side * pixelByteCount
        tileColumnCount = (size.width + Self.side - 1) / Self.side
        tileRowCount = (size.height + Self.side - 1) / Self.side
    }

    /// The number of strips to write.
    var stripCount: Int { tileRowCount }

    /// The rows of a strip: 64, fewer in the last.
    func rowCount(ofStrip strip: Int) -> Int {
        min(Self.side, size.height - strip * Self.side)
    }

    /// Writes a strip of rows, tightly packed.
    func write(strip: Int, rows: UnsafeBufferPointer<UInt8>) throws(PictureError) {
        let rowByteCount = size.width * pixelByteCount
        let tileRowByteCount = Self.side * pixelByteCount
        let tiles = Scratch(byteCount: tileByteCount * tileColumnCount)
        for row in 0..<rowCount(ofStrip: strip) {
            for column in 0..<tileColumnCount {
                let start = column * tileRowByteCount
                let count = min(tileRowByteCount, rowByteCount - start)
                (tiles.start + column * tileByteCount + row * tileRowByteCount)
                    .update(from: rows.baseAddress! + row * rowByteCount + start, count: count)
            }
        }
        try transfer(
            tiles.start, count: tiles.byteCount, at: strip * tiles.byteCount, using: pwriteAll)
    }

    /// The number of strips of the turned picture.
    func stripCount(turned orientation: Orientation) -> Int {
        orientation.isTransposed ? tileColumnCount : tileRowCount
    }

    /// Reads a strip of the turned picture's rows, tightly packed, and passes them to `use` with their
    /// number.
    ///
    /// Strips are in the order of the turned picture's rows; the shorter one may be the first.
    func read(
        strip: Int, turned orientation: Orientation,
        _ use: (UnsafeBufferPointer<UInt8>, Int) throws(PictureError) -> Void
    ) throws(PictureError) {
        if orientation.isTransposed {
            try readColumn(
                orientation.reversesColumns ? tileColumnCount - 1 - strip : strip, orientation, use)
        } else {
            try readRow(
                orientation.reversesRows ? tileRowCount - 1 - strip : strip, orientation, use)
        }
    }
}

extension TileScratch {
    /// Reads a row of tiles as rows, in the order of the orientation.
    private func readRow(
        _ tileRow: Int, _ orientation: Orientation,
        _ use: (UnsafeBufferPointer<UInt8>, Int) throws(PictureError) -> Void
    ) throws(PictureError) {
        let tiles = Scratch(byteCount: tileByteCount * tileColumnCount)
        try transfer(
            tiles.start, count: tiles.byteCount, at: tileRow * tiles.byteCount, using: preadAll)
        let rowCount = rowCount(ofStrip: tileRow)
        let result = Scratch(byteCount: rowCount * size.width * pixelByteCount)
        var target = result.start
        for row in 0..<rowCount {
            let from = orientation.reversesRows ? rowCount - 1 - row : row
            for x in 0..<size.width {
                let column = orientation.reversesColumns ? size.width - 1 - x : x
                let pixel =
                    tiles.start + column / Self.side * tileByteCount
                    + (from * Self.side + column % Self.side) * pixelByteCount
                for byte in 0..<pixelByteCount { target[byte] = pixel[byte] }
                target += pixelByteCount
            }
        }
        try use(UnsafeBufferPointer(start: result.start, count: result.byteCount), rowCount)
    }

    /// Reads a column of tiles as rows of the transposed picture.
    private func readColumn(
        _ tileColumn: Int, _ orientation: Orientation,
        _ use: (UnsafeBufferPointer<UInt8>, Int) throws(PictureError) -> Void
    ) throws(PictureError) {
        let columnCount = min(Self.side, size.width - tileColumn * Self.side)
        let rowByteCount = size.height * pixelByteCount
        let result = Scratch(byteCount: columnCount * rowByteCount)
        let tile = Scratch(byteCount: tileByteCount)
        for tileRow in 0..<tileRowCount {
            try transfer(
                tile.start, count: tileByteCount,
                at: (tileRow * tileColumnCount + tileColumn) * tileByteCount, using: preadAll)
            for row in 0..<rowCount(ofStrip: tileRow) {
                let y = tileRow * Self.side + row
                let x = orientation.reversesRows ? size.height - 1 - y : y
                for column in 0..<columnCount {
                    let resultRow = orientation.reversesColumns ? columnCount - 1 - column : column
                    let target = result.start + resultRow * rowByteCount + x * pixelByteCount
                    let pixel = tile.start + (row * Self.side + column) * pixelByteCount
                    for byte in 0..<pixelByteCount { target[byte] = pixel[byte] }
                }
            }
        }
        try use(UnsafeBufferPointer(start: result.start, count: result.byteCount), columnCount)
    }

    /// Transfers bytes between memory and the file completely.
    private func transfer(
        _ bytes: UnsafeMutablePointer<UInt8>, count: Int, at offset: Int,
        using move: (Int32, UnsafeMutableRawPointer, Int, off_t) -> Int
    ) throws(PictureError) {
        var moved = 0
        while moved < count {
            let result = move(file.descriptor, bytes + moved, count - moved, off_t(offset + moved))
            if result > 0 {
                moved += result
            } else if result < 0 && errno == EINTR {
                continue
            } else {
                throw .writing(result < 0 ? errno : EIO, operation: operation)
            }
        }
    }
}

private func pwriteAll(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t
) -> Int {
    pwrite(descriptor, bytes, count, offset)
}

private func preadAll(
    _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t
) -> Int {
    pread(descriptor, bytes, count, offset)
}

/// Zeroed memory for the duration of a call.
private struct Scratch: ~Copyable {
    let start: UnsafeMutablePointer<UInt8>
    let byteCount: Int

    init(byteCount: Int) {
        self.byteCount = byteCount
        start = .allocate(capacity: byteCount)
        start.initialize(repeating: 0, count: byteCount)
    }

    deinit { start.deallocate() }
}
