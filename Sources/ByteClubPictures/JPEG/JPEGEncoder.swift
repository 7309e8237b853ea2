import CByteClubTurboJPEG
import FoundationEssentials
import Glibc

/// A libjpeg compressor for one picture: start, rows, finish.
///
/// Owned by the function that created it and used on one thread.
struct JPEGEncoder: ~Copyable {
    private let handle: UnsafeMutablePointer<byteclub_jpeg_encoder>
    private let operation: String

    /// Writes to a descriptor, which the caller owns, or to memory.
    init(writingTo descriptor: Int32? = nil, to operation: String) throws(PictureError) {
        guard let handle = byteclub_jpeg_encoder_create(descriptor ?? -1) else {
            throw PictureError(.outOfMemory, operation: operation)
        }
        self.handle = handle
        self.operation = operation
    }

    deinit { byteclub_jpeg_encoder_destroy(handle) }

    /// - Parameters:
    ///   - quality: From 0 to 1.
    ///   - optimizesTables: Reduces the file by some percent, but keeps the whole picture's coefficients in
    ///     memory.
    ///   - metadata: The contents of APP1 markers.
    func start(
        size: PixelSize, rows: RowFormat, quality: Double, optimizesTables: Bool = false,
        metadata: [[UInt8]] = [], profile: Data? = nil
    ) throws(PictureError) {
        guard size.width <= JPEG_MAX_DIMENSION, size.height <= JPEG_MAX_DIMENSION else {
            throw PictureError(.tooLarge, operation: operation, detail: size.description)
        }
        var options = byteclub_jpeg_options()
        options.width = Int32(size.width)
        options.height = Int32(size.height)
        options.components = Int32(rows.pixelByteCount)
        options.input = rows.colorSpace
        options.quality = Int32((min(1, max(0, quality)) * 100).rounded())
        options.optimizes_tables = optimizesTables ? 1 : 0
        try check(byteclub_jpeg_start_encoding(handle, options))
        for marker in metadata {
            try check(
                marker.withUnsafeBytes {
                    byteclub_jpeg_write_marker(handle, 0xE1, $0.baseAddress, UInt32($0.count))
                })
        }
        if let profile {
            try check(
                profile.withUnsafeBytes {
                    byteclub_jpeg_write_profile(handle, $0.baseAddress, UInt32($0.count))
                })
        }
    }

    /// Encodes whole rows, tightly packed or `rowByteCount` apart.
    func encode(
        _ rows: UnsafeBufferPointer<UInt8>, rowByteCount: Int, count: Int
    ) throws(PictureError) {
        precondition(rows.count >= rowByteCount * count, "fewer bytes than rows")
        try check(
            byteclub_jpeg_encode_rows(handle, rows.baseAddress, rowByteCount, Int32(count)))
    }

    /// Writes the end of the picture. The file is complete then.
    func finish() throws(PictureError) {
        try check(byteclub_jpeg_finish_encoding(handle))
    }

    /// The number of bytes written; final after `finish`.
    var byteCount: Int { handle.pointee.bytes_written }

    /// The finished file, if it was written to memory.
    var data: Data { Data(bytes: handle.pointee.buffer, count: handle.pointee.bytes_written) }

    private func check(_ status: byteclub_jpeg_status) throws(PictureError) {
        let visit = handle.pointee.visit
        switch status {
        case BYTECLUB_JPEG_FINE:
            return
        case BYTECLUB_JPEG_OUTPUT_FAILED:
            throw .writing(visit.system_error, operation: operation)
        case BYTECLUB_JPEG_NO_MEMORY:
            throw PictureError(.outOfMemory, operation: operation)
        default:
            throw PictureError(.cannotWrite, operation: operation, detail: visit.text)
        }
    }
}

/// The format of pixels in a row.
enum RowFormat {
    /// One byte of brightness.
    case grey
    /// Three bytes: luma and chroma, as in JPEG. This avoids conversions to RGB and back.
    case yCbCr
    /// Three bytes.
    case rgb
    /// Four bytes, the last of them ignored.
    case rgbx

    var pixelByteCount: Int {
        switch self {
        case .grey: 1
        case .yCbCr, .rgb: 3
        case .rgbx: 4
        }
    }

    var colorSpace: J_COLOR_SPACE {
        switch self {
        case .grey: JCS_GRAYSCALE
        case .yCbCr: JCS_YCbCr
        case .rgb: JCS_RGB
        case .rgbx: JCS_EXT_RGBX
        }
    }
}

extension PictureError.Code {
    /// The meaning of `errno` after a failed write.
    static func writing(_ number: Int32) -> PictureError.Code {
        number == ENOSPC || number == EDQUOT ? .diskFull : .cannotWrite
    }
}

extension PictureError {
    /// What `errno` says about a failed write.
    static func writing(_ number: Int32, operation: String) -> PictureError {
        PictureError(
            .writing(number), operation: operation, detail: String(cString: strerror(number)))
    }
}
