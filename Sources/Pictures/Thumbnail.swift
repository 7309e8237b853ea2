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

extension Thumbnail {
    /// Makes a thumbnail of the small JPEG that a camera has put beside the large one.
    ///
    /// - Throws: `PictureError`: `.truncated` when there is none that will do: it must have the large
    ///   one's shape (cameras put bars around a panorama) and at least half the size asked for.
    public static func embedded(
        in header: JPEGHeader, fitting box: PixelSize, mode: Mode = .strict, quality: Double = 0.8
    ) throws(PictureError) -> Thumbnail {
        let unfit = PictureError(.truncated, operation: "show picture", detail: "no small picture")
        guard let data = header.thumbnail else { throw unfit }
        let file = JPEGFile(data: data, name: "small picture")
        let small = try file.header()
        let wanted = mode.size(of: header.size, in: box)
        // As the pixels lie: the small one is to be turned like the large one.
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
    /// Whether it may be the other one made smaller: whole pixels are all the difference.
    fileprivate func hasShape(of other: PixelSize) -> Bool {
        let exact = Double(width) * Double(other.height) / Double(max(1, other.width))
        return abs(exact - Double(height)) <= 1
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
