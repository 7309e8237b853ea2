import CByteClubPictureLibraries
import FoundationEssentials
import Glibc

/// A library's result: rows of RGBA, in memory or decoded as they are used.
struct LibraryPixels: ~Copyable {
    let size: PixelSize
    let hasAlpha: Bool
    private let rows: Rows
    private let memory: Memory
    private let operation: String

    private enum Rows {
        case memory(UnsafePointer<UInt8>, rowByteCount: Int)
        case tiff(OpaquePointer)
    }

    private enum Memory {
        case own(UnsafeMutablePointer<UInt8>)
        case heif(OpaquePointer)
        case stb(UnsafeMutablePointer<UInt8>)
        case tiff(OpaquePointer)
    }

    private init(
        _ size: PixelSize, hasAlpha: Bool, _ rows: Rows, in memory: Memory, to operation: String
    ) {
        self.size = size
        self.hasAlpha = hasAlpha
        self.rows = rows
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
            size, hasAlpha: true,
            .memory(UnsafePointer(pixels), rowByteCount: size.width * 4), in: .own(pixels),
            to: operation)
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
        guard size.equals(width, height) else {
            byteclub_heif_close(opened)
            throw .contradiction(width, height, size, to: operation)
        }
        return LibraryPixels(
            size, hasAlpha: hasAlpha, .memory(start, rowByteCount: stride), in: .heif(opened),
            to: operation)
    }

    /// A GIF's first frame, a BMP or a PNM.
    static func simple(
        _ bytes: [UInt8], _ format: FileFormat, size: PixelSize, to operation: String
    ) throws(PictureError) -> LibraryPixels {
        var (width, height) = (UInt32(0), UInt32(0))
        var decoded: UnsafeMutablePointer<UInt8>?
        let result = byteclub_stb_decode(bytes, bytes.count, &width, &height, &decoded)
        guard result.status == BYTECLUB_LIBRARY_FINE, let decoded else {
            throw PictureError(result, format, to: operation)
        }
        guard size.equals(width, height) else {
            byteclub_stb_free(decoded)
            throw .contradiction(width, height, size, to: operation)
        }
        return LibraryPixels(
            size, hasAlpha: format != .pnm, .memory(decoded, rowByteCount: size.width * 4),
            in: .stb(decoded), to: operation)
    }

    /// The first picture of a TIFF, decoded band by band.
    ///
    /// - Parameter bytes: Must stay until the rows are read.
    static func tiff(
        _ bytes: PictureBytes, size: PixelSize, to operation: String
    ) throws(PictureError) -> LibraryPixels {
        var opened: OpaquePointer?
        let limit = UInt64(PictureLimits.heldPixelCount)
        let result =
            switch bytes {
            case .descriptor(let number):
                byteclub_tiff_open(number, nil, bytes.count, limit, &opened)
            case .memory(let memory):
                byteclub_tiff_open(
                    -1, memory.baseAddress?.assumingMemoryBound(to: UInt8.self), memory.count,
                    limit, &opened)
            }
        guard result.status == BYTECLUB_LIBRARY_FINE, let opened else {
            throw PictureError(result, .tiff, to: operation)
        }
        var (width, height) = (UInt32(0), UInt32(0))
        byteclub_tiff_size(opened, &width, &height)
        guard size.equals(width, height) else {
            byteclub_tiff_close(opened)
            throw .contradiction(width, height, size, to: operation)
        }
        return LibraryPixels(
            size, hasAlpha: true, .tiff(opened), in: .tiff(opened), to: operation)
    }

    deinit {
        switch memory {
        case .own(let pixels): free(pixels)
        case .heif(let picture): byteclub_heif_close(picture)
        case .stb(let pixels): byteclub_stb_free(pixels)
        case .tiff(let picture): byteclub_tiff_close(picture)
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
            let pixels = try self.row(index)
            guard hasAlpha else {
                try use(pixels)
                continue
            }
            row.update(from: pixels, count: size.width * 4)
            Transparency.prepare(row, pixelCount: size.width, keepsAlpha: keepsAlpha)
            try use(UnsafePointer(row))
        }
    }

    private func row(_ index: Int) throws(PictureError) -> UnsafePointer<UInt8> {
        switch rows {
        case .memory(let start, let rowByteCount): return start + index * rowByteCount
        case .tiff(let picture):
            var pixels: UnsafePointer<UInt8>?
            let result = byteclub_tiff_row(picture, UInt32(index), &pixels)
            guard result.status == BYTECLUB_LIBRARY_FINE, let pixels else {
                throw PictureError(result, .tiff, to: operation)
            }
            return pixels
        }
    }
}

extension PixelSize {
    fileprivate func equals(_ width: UInt32, _ height: UInt32) -> Bool {
        self == PixelSize(width: Int(width), height: Int(height))
    }
}

extension PictureError {
    fileprivate static func contradiction(
        _ width: UInt32, _ height: UInt32, _ size: PixelSize, to operation: String
    ) -> PictureError {
        PictureError(.damaged, operation: operation, detail: "\(width) × \(height), not \(size)")
    }

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
