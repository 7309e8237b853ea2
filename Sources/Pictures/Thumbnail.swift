public import FoundationEssentials

/// Small JPEGs of big ones.
///
/// The shape is kept and nothing is enlarged: a picture smaller than asked for comes back at its
/// own size. Damaged pictures give what can be seen of them.
///
/// Source: Dropbox API v2, `files/get_thumbnail_v2`, `ThumbnailSize` and `ThumbnailMode`.
public struct Thumbnail: Sendable {
    /// How a picture goes into a box.
    public enum Mode: Sendable {
        /// Inside the box. (`strict`, the API's default.)
        case strict
        /// Inside the box or the box on its side, whichever leaves more of the picture. (`bestfit`)
        case bestFit
        /// Covering the box or the box on its side, so that one dimension fits. (`fitone_bestfit`)
        case fitOneBestFit
    }

    /// A complete JPEG without metadata.
    public let data: Data

    /// The size in pixels of the JPEG in `data`.
    public let size: PixelSize

    /// The size in pixels of the whole picture, as shown.
    public let fullSize: PixelSize

    /// Makes a thumbnail. Takes as long as reading the picture at an eighth of its size; call it
    /// on a `PictureQueue`.
    ///
    /// - Throws: `PictureError`: why the picture cannot be read, or `.cancelled`.
    public static func make(
        of file: JPEGFile, fitting box: PixelSize, mode: Mode = .strict, quality: Double = 0.8
    ) throws(PictureError) -> Thumbnail {
        let decoded = try file.decode { mode.size(of: $0, in: box) }
        return Thumbnail(
            data: try decoded.image.jpegData(quality: quality), size: decoded.image.size,
            fullSize: decoded.header.size)
    }
}

extension Thumbnail.Mode {
    /// The size a picture gets.
    public func size(of picture: PixelSize, in box: PixelSize) -> PixelSize {
        switch self {
        case .strict:
            return picture.fitted(in: box)
        case .bestFit:
            let (one, other) = (picture.fitted(in: box), picture.fitted(in: box.transposed))
            return one.pixelCount >= other.pixelCount ? one : other
        case .fitOneBestFit:
            let (one, other) = (picture.covering(box), picture.covering(box.transposed))
            return one.pixelCount <= other.pixelCount ? one : other
        }
    }
}
