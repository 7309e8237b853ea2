public import FoundationEssentials
import Glibc

/// A picture of a kind that can be shown small, known by its first bytes whatever its name says.
public enum PictureFile: Sendable {
    case jpeg(JPEGFile)
    case png(PNGFile)

    /// How a small picture is written.
    public enum Format: Sendable {
        case jpeg(quality: Double)
        case png
    }

    /// - Returns: A JPEG for everything but a PNG; reading it will tell.
    public init(at url: URL) {
        self = Self.isPNG(url) ? .png(PNGFile(at: url)) : .jpeg(JPEGFile(at: url))
    }

    private static func isPNG(_ url: URL) -> Bool {
        guard let file = try? InputFile.opening(url, to: "read \(url.lastPathComponent)") else {
            return false
        }
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = bytes.withUnsafeMutableBytes { pread(file.descriptor, $0.baseAddress, 8, 0) }
        return count == 8 && bytes == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    }

    /// The size as shown, in pixels.
    ///
    /// - Throws: `PictureError`: why the picture cannot be read.
    public func size() throws(PictureError) -> PixelSize {
        switch self {
        case .jpeg(let file): try file.header().size
        case .png(let file): try file.size()
        }
    }

    /// Whether even a small picture of it takes more than some tenths of a second. A PNG is read at its
    /// full size.
    public var takesLong: Bool {
        switch self {
        case .jpeg(let file): (try? file.header())?.takesLong == true
        case .png(let file): ((try? file.size())?.pixelCount ?? 0) > 8 << 20
        }
    }

    /// Makes the picture small and writes it.
    ///
    /// What is transparent stays so in a PNG and is white in a JPEG.
    ///
    /// - Parameter chooseSize: From the size as shown to the size wanted, of the same shape; nothing is
    ///   enlarged.
    /// - Throws: `PictureError`: why the picture cannot be read, or `.cancelled`.
    public func data(
        as format: Format, _ chooseSize: (PixelSize) -> PixelSize
    ) throws(PictureError) -> Data {
        let image: PixelImage
        var hasAlpha = false
        switch self {
        case .jpeg(let file): image = try file.decode(chooseSize).image
        case .png(let file):
            var keepsAlpha = false
            if case .png = format { keepsAlpha = true }
            let decoded = try file.decode(keepsAlpha: keepsAlpha, chooseSize)
            image = decoded.image
            hasAlpha = decoded.hasAlpha
        }
        switch format {
        case .jpeg(let quality): return try image.jpegData(quality: quality)
        case .png: return try image.pngData(keepsAlpha: hasAlpha)
        }
    }
}
