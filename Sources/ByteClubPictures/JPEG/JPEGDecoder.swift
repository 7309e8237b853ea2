import CByteClubTurboJPEG
import FoundationEssentials
import Glibc

/// A libjpeg decompressor for one picture: header, start, rows, finish.
///
/// Owned by the function that created it and used on one thread.
struct JPEGDecoder: ~Copyable {
    let handle: UnsafeMutablePointer<byteclub_jpeg_decoder>

    /// The bytes to read, which outlive this value.
    let bytes: PictureBytes

    /// The data before the picture.
    let head: JPEGHead

    let scratch: ScratchFiles

    /// The operation, for errors.
    let operation: String

    /// - Throws: `PictureError`: invalid markers, or `.outOfMemory`.
    init(
        reading bytes: PictureBytes, scratch: ScratchFiles = .inTemporaryFolder,
        to operation: String
    ) throws(PictureError) {
        // Before libjpeg sees them.
        let head = try JPEGHead(bytes, to: operation)
        guard let handle = byteclub_jpeg_decoder_create() else {
            throw PictureError(.outOfMemory, operation: operation)
        }
        switch bytes {
        case .descriptor(let number):
            guard byteclub_jpeg_read_from_descriptor(handle, number) == BYTECLUB_JPEG_FINE else {
                byteclub_jpeg_decoder_destroy(handle)
                throw PictureError(.outOfMemory, operation: operation)
            }
        case .memory(let memory):
            byteclub_jpeg_read_from_memory(handle, memory.baseAddress, memory.count)
        }
        handle.pointee.scan_limit = Int32(PictureLimits.scanCount)
        handle.pointee.visit_limit = UInt64(PictureLimits.blockVisitCount)
        handle.pointee.input_limit = PictureLimits.fileByteCount
        handle.pointee.should_stop = taskIsCancelled
        self.handle = handle
        self.head = head
        self.bytes = bytes
        self.scratch = scratch
        self.operation = operation
    }

    deinit { byteclub_jpeg_decoder_destroy(handle) }

    /// Whether the picture has several scans, all of which are read by `start`.
    var readsAllAtStart: Bool {
        jpeg_has_multiple_scans(&handle.pointee.info) != 0
    }

    /// Whether the file ended before the picture did.
    var reachedEnd: Bool { handle.pointee.reached_end != 0 }

    /// The first sign of missing or damaged data; nil if there is none so far.
    var damage: PictureError? {
        guard handle.pointee.visit.damage != 0 else { return nil }
        return error(reachedEnd ? .truncated : .damaged, detail: handle.pointee.visit.text)
    }

    /// Starts decoding at `eighths`/8 of the size into rows of a color space.
    ///
    /// - Returns: The size of the result.
    func start(eighths: Int, output: J_COLOR_SPACE) throws(PictureError) -> PixelSize {
        if readsAllAtStart {
            try checkScans()
            try spillCoefficients()
        }
        byteclub_jpeg_set_scale(handle, UInt32(eighths), output)
        try check(byteclub_jpeg_start_decoding(handle))
        return PixelSize(
            width: Int(handle.pointee.info.output_width),
            height: Int(handle.pointee.info.output_height))
    }

    /// Decodes the next rows; fewer than requested only at the picture's end.
    ///
    /// - Returns: The number of decoded rows. If an error is thrown, the rows before it were decoded, but are
    ///   not counted.
    func decode(
        into rows: UnsafeMutableBufferPointer<UInt8>, rowByteCount: Int
    ) throws(PictureError) -> Int {
        var decoded: Int32 = 0
        try check(
            byteclub_jpeg_decode_rows(
                handle, rows.baseAddress, rowByteCount, Int32(rows.count / rowByteCount), &decoded))
        return Int(decoded)
    }

    /// Reads to the end of the picture, so that `damage` is final.
    func finish() throws(PictureError) {
        try check(byteclub_jpeg_finish_decoding(handle))
    }

    /// The embedded ICC profile if it is for the given color space ("RGB ", "GRAY").
    ///
    /// Source: ICC.1:2022, 7.2 (the header is 128 bytes; color space at 16, signature at 36).
    func profile(for colorSpace: String) -> Data? {
        head.profile.flatMap { Self.checked($0, for: colorSpace) }
    }

    /// A profile if it is for the given color space.
    static func checked(_ profile: Data, for colorSpace: String) -> Data? {
        let profile = [UInt8](profile)
        guard profile.count >= 128 else { return nil }
        guard profile[16..<20].elementsEqual(colorSpace.utf8),
            profile[36..<40].elementsEqual("acsp".utf8)
        else { return nil }
        return Data(profile)
    }

    func error(_ code: PictureError.Code, detail: String? = nil) -> PictureError {
        PictureError(code, operation: operation, detail: detail)
    }

    /// Throws the error for a status.
    func check(_ status: byteclub_jpeg_status) throws(PictureError) {
        let visit = handle.pointee.visit
        switch status {
        case BYTECLUB_JPEG_FINE:
            return
        case BYTECLUB_JPEG_REFUSED:
            throw error(
                .refused(by: visit.code, atEndOfFile: reachedEnd), detail: visit.text)
        case BYTECLUB_JPEG_INPUT_FAILED:
            throw error(.unreadable, detail: String(cString: strerror(visit.system_error)))
        case BYTECLUB_JPEG_INPUT_EMPTY:
            throw error(.empty)
        case BYTECLUB_JPEG_HEADER_TOO_LONG:
            throw error(.tooLarge, detail: "header")
        case BYTECLUB_JPEG_TOO_MANY_SCANS:
            throw tooManyScans
        case BYTECLUB_JPEG_TOO_MUCH_WORK:
            throw tooMuchWork
        case BYTECLUB_JPEG_NO_MEMORY:
            throw error(.outOfMemory)
        case BYTECLUB_JPEG_STOPPED:
            throw error(.cancelled)
        default:
            throw error(.damaged)
        }
    }
}

/// Called by libjpeg, on the thread that called it.
private func taskIsCancelled() -> Int32 {
    Task.isCancelled ? 1 : 0
}

extension byteclub_jpeg_visit {
    /// libjpeg's error message.
    var text: String {
        withUnsafeBytes(of: message) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

extension PictureError.Code {
    /// The meaning of libjpeg's fatal errors (`jerror.h`).
    fileprivate static func refused(by code: Int32, atEndOfFile: Bool) -> PictureError.Code {
        switch J_MESSAGE_CODE(UInt32(bitPattern: code)) {
        case JERR_NO_SOI:
            .notAPicture
        case JERR_SOF_UNSUPPORTED, JERR_BAD_PRECISION, JERR_COMPONENT_COUNT, JERR_ARITH_NOTIMPL,
            JERR_CCIR601_NOTIMPL, JERR_CONVERSION_NOTIMPL, JERR_FRACT_SAMPLE_NOTIMPL,
            JERR_BAD_J_COLORSPACE, JERR_NOTIMPL, JERR_NOT_COMPILED:
            .unsupported
        case JERR_IMAGE_TOO_BIG, JERR_WIDTH_OVERFLOW:
            .tooLarge
        default:
            atEndOfFile ? .truncated : .damaged
        }
    }
}
