/// The limits beyond which a picture is refused as `PictureError.Code.tooLarge` or `.tooCostly`.
///
/// They count work instead of measuring time, so that a picture opens on every machine or on none. Together
/// they limit the work on a file below 64 MB to 5 seconds of processor time. The measurements are in
/// `docs/Decisions.md`.
public enum PictureLimits {
    /// Pixels, width × height: eight times a panorama of 16,384 × 8,192.
    public static let pixelCount = 1 << 30

    /// Pixels of a decoded picture in memory, 4 bytes each, and twice when it must be turned.
    public static let decodedPixelCount = 36 << 20

    /// Pixels of a re-encoded photo, at about 10 ns each, 20 when it must be rotated: more than the
    /// largest sensors have.
    public static let reencodedPixelCount = 220_000_000

    /// The same of a progressive one, at about 30 ns each: more than 16,384 × 8,192.
    public static let reencodedProgressivePixelCount = 150_000_000

    /// Pixels of a PNG that is re-encoded, at about 30 ns each: more than 16,384 × 8,192.
    public static let reencodedPNGPixelCount = 150_000_000

    /// Bytes that libjpeg keeps while it puts a progressive picture together: 2 for each sample, 3
    /// per pixel with the usual chroma subsampling. Enough for 16,384 × 8,192 without it (805 MB).
    /// Baseline pictures need none of it.
    public static let coefficientByteCount = 832 << 20

    /// As many of them are in memory; where there are more, they are in a scratch file, and half of
    /// this and some pieces of it in memory.
    public static let residentCoefficientByteCount = 128 << 20

    /// Blocks of 8 × 8 samples in all scans of a progressive picture, at about 10 ns each. The
    /// largest picture that `coefficientByteCount` allows may have 9 scans of everything; encoders
    /// write ten, of parts: five times everything.
    public static let blockVisitCount = 1 << 26

    /// Bytes of a file.
    public static let fileByteCount = 1 << 30

    /// Bytes before the picture proper: EXIF, thumbnails, maker notes, panorama depth maps.
    public static let headerByteCount = 64 << 20

    /// Markers before the picture proper. Cameras write about twenty, editors some hundreds when
    /// they keep their history.
    public static let markerCount = 4096

    /// Scans of a progressive picture. Encoders write about ten; a file with thousands of empty
    /// ones is an attack on the processor.
    public static let scanCount = 200

    /// Bytes of an ICC profile that are carried over.
    public static let profileByteCount = 4 << 20
}

extension PictureLimits {
    /// Pixels of a photo that is re-encoded from a file of so many bytes.
    ///
    /// A larger panorama may take longer when there is enough of it: 2.5 pixels for each byte. So
    /// the work is in proportion to what somebody has sent.
    static func reencodedPixelCount(ofFileWith byteCount: Int, isReadWhole: Bool) -> Int {
        max(
            isReadWhole ? reencodedProgressivePixelCount : reencodedPixelCount,
            min(byteCount, fileByteCount) / 2 * 5)
    }

    /// Pixels of a PNG, which is read at its full size row by row: some seconds of work.
    public static let pngPixelCount = 1 << 28

    /// Pixels of a PNG whose rows come in several passes and are in memory whole, 4 bytes each.
    public static let interlacedPixelCount = 1 << 25

    /// Pixels of a PNG one way: two rows of it, of 8 bytes a pixel at most, are in memory.
    public static let pngDimension = 1 << 18

    /// Bytes of any part of a PNG that holds no pixels.
    public static let pngChunkByteCount = 8 << 20
}
