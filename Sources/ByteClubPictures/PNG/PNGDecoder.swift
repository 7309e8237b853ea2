import CByteClubPNG
import FoundationEssentials
import Glibc

/// A libpng decoder for one picture: header, then rows.
///
/// Owned by the function that created it and used on one thread.
struct PNGDecoder: ~Copyable {
    private let handle: OpaquePointer
    private let bytes: PictureBytes
    let operation: String

    private static let limits = byteclub_png_limits(
        dimension: UInt32(PictureLimits.pngDimension),
        pixels: UInt64(PictureLimits.pngPixelCount),
        interlaced_pixels: UInt64(PictureLimits.interlacedPixelCount),
        chunk_bytes: PictureLimits.pngChunkByteCount)

    /// Reads bytes, which must outlive this.
    init(reading bytes: PictureBytes, to operation: String) throws(PictureError) {
        let handle: OpaquePointer? =
            switch bytes {
            case .descriptor(let number): byteclub_png_open(number, Self.limits)
            case .memory(let memory):
                byteclub_png_open_bytes(
                    memory.bindMemory(to: UInt8.self).baseAddress, memory.count, Self.limits)
            }
        guard let handle else { throw PictureError(.outOfMemory, operation: operation) }
        self.handle = handle
        self.bytes = bytes
        self.operation = operation
    }

    deinit { byteclub_png_close(handle) }

    struct Header {
        /// As it is stored.
        let size: PixelSize
        let orientation: Orientation
        let isInterlaced: Bool
        let hasAlpha: Bool
    }

    /// Reads up to the pixels and checks that decoding is allowed.
    func readHeader() throws(PictureError) -> Header {
        var header = byteclub_png_header()
        try check(byteclub_png_read_header(handle, &header))
        return Header(
            size: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: try PNGOrientation.read(bytes, to: operation),
            isInterlaced: header.is_interlaced != 0, hasAlpha: header.has_alpha != 0)
    }

    /// Decodes the next row of a picture that is not interlaced.
    func decode(into row: UnsafeMutablePointer<UInt8>) throws(PictureError) {
        try check(byteclub_png_read_row(handle, row))
    }

    /// Decodes a whole interlaced picture.
    func decodePasses(into pixels: UnsafeMutablePointer<UInt8>) throws(PictureError) {
        try check(byteclub_png_read_passes(handle, pixels, taskIsCancelled))
    }

    private func check(_ status: byteclub_png_status) throws(PictureError) {
        let code: PictureError.Code
        switch status {
        case BYTECLUB_PNG_FINE: return
        case BYTECLUB_PNG_TRUNCATED: code = .truncated
        case BYTECLUB_PNG_EMPTY: code = .empty
        case BYTECLUB_PNG_NO_PNG: code = .notAPicture
        case BYTECLUB_PNG_TOO_LARGE: code = .tooLarge
        case BYTECLUB_PNG_NO_MEMORY: code = .outOfMemory
        case BYTECLUB_PNG_INPUT_FAILED:
            throw PictureError(
                .unreadable, operation: operation,
                detail: String(cString: strerror(byteclub_png_errno(handle))))
        case BYTECLUB_PNG_STOPPED: code = .cancelled
        default: code = .damaged
        }
        throw PictureError(
            code, operation: operation, detail: String(cString: byteclub_png_message(handle)))
    }
}

/// Called by the decoder, on the thread that called it.
private func taskIsCancelled() -> Int32 { Task.isCancelled ? 1 : 0 }
