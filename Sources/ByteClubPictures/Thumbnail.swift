public import FoundationEssentials

/// Small JPEGs of large pictures.
///
/// The aspect ratio is kept and nothing is enlarged: a smaller picture keeps its size. Damaged pictures are
/// shown as far as possible.
///
/// Source: Dropbox API v2, `files/get_thumbnail_v2`, `ThumbnailSize` and `ThumbnailMode`.
public struct Thumbnail: Sendable {
    /// How a picture is fitted into a box.
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

    /// The displayed size of the whole picture in pixels.
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

extension Thumbnail {
    /// Makes a thumbnail from the JPEG that a camera has embedded.
    ///
    /// - Throws: `PictureError`: `.truncated` if there is no suitable one: it must have the photo's aspect
    ///   ratio (cameras add bars to a panorama) and at least half the requested size.
    public static func embedded(
        in header: JPEGHeader, fitting box: PixelSize, mode: Mode = .strict, quality: Double = 0.8
    ) throws(PictureError) -> Thumbnail {
        let unfit = PictureError(.truncated, operation: "show picture", detail: "no small picture")
        guard let data = header.thumbnail else { throw unfit }
        let file = JPEGFile(data: data, name: "small picture")
        let small = try file.header()
        let wanted = mode.size(of: header.size, in: box)
        // In stored orientation: the thumbnail is turned like the photo.
        let stored = header.orientation.applied(to: wanted)
        guard small.orientation == .up, small.storedSize.hasShape(of: header.storedSize),
            small.storedSize.width * 2 >= stored.width,
            small.storedSize.height * 2 >= stored.height
        else { throw unfit }
        let decoded = try file.decode(scaledToFit: stored)
        guard !decoded.isDamaged else { throw unfit }
        let image = decoded.image.oriented(header.orientation)
        return Thumbnail(
            data: try image.jpegData(quality: quality), size: image.size, fullSize: header.size)
    }
}

extension PixelSize {
    /// Whether it may be the other one scaled down, up to rounding.
    fileprivate func hasShape(of other: PixelSize) -> Bool {
        let exact = Double(width) * Double(other.height) / Double(max(1, other.width))
        return abs(exact - Double(height)) <= 1
    }
}

extension Thumbnail.Mode {
    /// The size of the result.
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
