import CByteClubPictureLibraries
import FoundationEssentials
import Glibc

/// A WebP, HEIC or AVIF picture, decoded by an optional library.
struct DecodablePicture {
    let source: PictureSource
    let format: FileFormat

    /// Decodes the picture upright in a chosen size, never enlarged.
    ///
    /// A truncated picture is refused: the libraries decode nothing of it.
    ///
    /// - Throws: `PictureError`; `.noLibrary` if the library is missing.
    func decode(
        keepsAlpha: Bool, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> DecodedPicture {
        let operation = "show \(source.name)"
        return try withHead(to: operation) { head, bytes throws(PictureError) in
            let fullSize = head.orientation.applied(to: head.storedSize)
            let wanted = chooseSize(fullSize)
            let shown = PixelSize(
                width: min(max(1, wanted.width), fullSize.width),
                height: min(max(1, wanted.height), fullSize.height))
            guard shown.pixelCount <= PictureLimits.decodedPixelCount else {
                throw PictureError(.tooLarge, operation: operation, detail: shown.description)
            }
            let stored = head.orientation.applied(to: shown)
            let pixels = try pixels(bytes, head, at: stored, to: operation)
            let isKept = keepsAlpha && pixels.hasAlpha
            let scaler = AreaScaler(from: pixels.size, to: stored)
            try pixels.forEachRow(keepsAlpha: isKept) { scaler.add(row: $0) }
            var image = scaler.finish()
            if isKept { Transparency.divideByAlpha(&image) }
            return DecodedPicture(
                image: image.oriented(head.orientation), fullSize: fullSize, hasAlpha: isKept,
                isDamaged: false)
        }
    }

    /// Passes all pixels in full size and upright, row by row as RGBA, to an encoder created by `start`;
    /// transparent parts become white.
    func reencode(
        to operation: String,
        start: (ContainerHead, PixelSize) throws(PictureError) -> Void,
        row use: (UnsafePointer<UInt8>, Int) throws(PictureError) -> Void
    ) throws(PictureError) {
        try withHead(to: operation) { head, bytes throws(PictureError) in
            guard head.orientation == .up else {
                // Turned in memory, which is acceptable for ordinary photos.
                let image = try decode(keepsAlpha: false) { $0 }.image
                try start(head, image.size)
                try image.forEachRow(use)
                return
            }
            let pixels = try pixels(bytes, head, at: head.storedSize, to: operation)
            try start(head, pixels.size)
            var row = 0
            try pixels.forEachRow(keepsAlpha: false) { start throws(PictureError) in
                try use(start, row)
                row += 1
            }
        }
    }

    /// - Parameter size: The stored size; libheif always decodes in full size.
    private func pixels(
        _ bytes: [UInt8], _ head: ContainerHead, at size: PixelSize, to operation: String
    ) throws(PictureError) -> LibraryPixels {
        format == .webp
            ? try .webP(bytes, at: size, to: operation)
            : try .heif(bytes, format, size: head.storedSize, to: operation)
    }

    private func withHead<Result>(
        to operation: String,
        _ body: (ContainerHead, [UInt8]) throws(PictureError) -> Result
    ) throws(PictureError) -> Result {
        try source.withBytes(to: operation) { bytes throws(PictureError) in
            let head = try ContainerHead(bytes, as: format, to: operation)
            let count = bytes.count
            guard count <= PictureLimits.libraryFileByteCount else {
                throw PictureError(.tooLarge, operation: operation, detail: "file")
            }
            var reader = PictureByteReader(bytes, to: operation)
            return try body(head, try reader.bytes(count))
        }
    }
}

extension PixelImage {
    fileprivate func forEachRow(
        _ use: (UnsafePointer<UInt8>, Int) throws(PictureError) -> Void
    ) throws(PictureError) {
        // `withUnsafeBytes` rethrows untyped errors only.
        let outcome = bytes.withUnsafeBufferPointer { buffer -> Result<Void, PictureError> in
            guard let start = buffer.baseAddress else { return .success(()) }
            do throws(PictureError) {
                for row in 0..<size.height { try use(start + row * size.width * 4, row) }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
    }
}

/// A library's result: rows of RGBA in memory.
private struct LibraryPixels: ~Copyable {
    let size: PixelSize
    let hasAlpha: Bool
    private let start: UnsafePointer<UInt8>
    private let rowByteCount: Int
    private let memory: Memory
    private let operation: String

    private enum Memory {
        case own(UnsafeMutablePointer<UInt8>)
        case library(OpaquePointer)
    }

    private init(
        _ size: PixelSize, hasAlpha: Bool, at start: UnsafePointer<UInt8>, rowByteCount: Int,
        in memory: Memory, to operation: String
    ) {
        self.size = size
        self.hasAlpha = hasAlpha
        self.start = start
        self.rowByteCount = rowByteCount
        self.memory = memory
        self.operation = operation
    }

    static func webP(
        _ bytes: [UInt8], at size: PixelSize, to operation: String
    ) throws(PictureError) -> LibraryPixels {
        let space = malloc(size.pixelCount * 4)
        guard let space else { throw PictureError(.outOfMemory, operation: operation) }
        let pixels = space.assumingMemoryBound(to: UInt8.self)
        let result = byteclub_webp_decode(
            bytes, bytes.count, UInt32(size.width), UInt32(size.height), pixels)
        guard result.status == BYTECLUB_LIBRARY_FINE else {
            free(space)
            throw PictureError(result, .webp, to: operation)
        }
        return LibraryPixels(
            size, hasAlpha: true, at: UnsafePointer(pixels), rowByteCount: size.width * 4,
            in: .own(pixels), to: operation)
    }

    /// - Parameter size: The size from our own parser, which determines the limits.
    static func heif(
        _ bytes: [UInt8], _ format: FileFormat, size: PixelSize, to operation: String
    ) throws(PictureError) -> LibraryPixels {
        var opened: OpaquePointer?
        let limit = PictureLimits.libraryPixelCount(format, isLossless: false)
        let result = byteclub_heif_decode(bytes, bytes.count, UInt64(limit), &opened)
        guard result.status == BYTECLUB_LIBRARY_FINE, let opened else {
            throw PictureError(result, format, to: operation)
        }
        var (width, height, stride, hasAlpha) = (UInt32(0), UInt32(0), 0, false)
        let start = byteclub_heif_pixels(opened, &width, &height, &stride, &hasAlpha)
        guard size == PixelSize(width: Int(width), height: Int(height)) else {
            byteclub_heif_close(opened)
            throw PictureError(
                .damaged, operation: operation, detail: "\(width) × \(height), not \(size)")
        }
        return LibraryPixels(
            size, hasAlpha: hasAlpha, at: start, rowByteCount: stride, in: .library(opened),
            to: operation)
    }

    deinit {
        switch memory {
        case .own(let pixels): free(pixels)
        case .library(let picture): byteclub_heif_close(picture)
        }
    }

    func forEachRow(
        keepsAlpha: Bool, _ use: (UnsafePointer<UInt8>) throws(PictureError) -> Void
    ) throws(PictureError) {
        let row = UnsafeMutablePointer<UInt8>.allocate(capacity: size.width * 4)
        defer { row.deallocate() }
        for index in 0..<size.height {
            if index % 64 == 0, Task.isCancelled {
                throw PictureError(.cancelled, operation: operation)
            }
            let pixels = start + index * rowByteCount
            guard hasAlpha else {
                try use(pixels)
                continue
            }
            row.update(from: pixels, count: size.width * 4)
            Transparency.prepare(row, pixelCount: size.width, keepsAlpha: keepsAlpha)
            try use(UnsafePointer(row))
        }
    }
}

extension PictureError {
    fileprivate init(
        _ result: byteclub_library_result, _ format: FileFormat, to operation: String
    ) {
        let code: Code =
            switch result.status {
            case BYTECLUB_LIBRARY_MISSING: .noLibrary
            case BYTECLUB_LIBRARY_TRUNCATED: .truncated
            case BYTECLUB_LIBRARY_UNSUPPORTED: .unsupported
            case BYTECLUB_LIBRARY_TOO_LARGE: .tooLarge
            case BYTECLUB_LIBRARY_NO_MEMORY: .outOfMemory
            default: .damaged
            }
        let message = withUnsafeBytes(of: result.message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            code, operation: operation, detail: message.isEmpty ? nil : message,
            format: code == .noLibrary ? format : nil)
    }
}
