import DropboxAPI
import FoundationEssentials
import Glibc
import Pictures

/// Makes thumbnails of the club's photos, and keeps them.
struct ThumbnailMaker: Sendable {
    let cache: ThumbnailCache
    private let workshop = Workshop()

    init(cache: ThumbnailCache) { self.cache = cache }

    /// One picture at a time, which bounds the memory they take.
    private actor Workshop {
        func run<Result, Failure: Error>(
            _ work: @Sendable () throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try work()
        }
    }

    /// What is asked of a picture.
    struct Wish: Hashable, Sendable {
        var format: ThumbnailFormat
        var size: ThumbnailSize
        var mode: ThumbnailMode
        var quality: ThumbnailQuality
    }

    /// The thumbnail of a file as a JPEG.
    func thumbnail(
        of entry: Entry, _ wish: Wish, in club: Club
    ) async throws(ThumbnailError) -> Data {
        guard let facts = entry.facts else { throw .path(.notFile) }
        guard Self.isPhoto(entry.name) else { throw .unsupportedExtension }
        // Photos are JPEGs here, and so are their thumbnails.
        guard wish.format == .jpeg else { throw .conversionError }
        let name = "\(facts.revision)-\(wish.size)-\(wish.mode)-\(wish.quality).jpg"
        if let data = cache[name] { return data }
        let names = await club.index.diskNames(of: entry.key)
        guard let file = try? club.access.file(names) else { throw .path(.notFound) }
        let data = try await make(wish, of: file)
        // A file that changed meanwhile must not lend its picture to another revision.
        if (try? FileStatus.of(file).signature) == facts.signature { cache.add(data, as: name) }
        return data
    }

    /// The size of a photo in pixels; nil for what is no photo.
    func mediaInfo(of entry: Entry, in club: Club) async -> MediaInfo? {
        guard entry.facts != nil, Self.isPhoto(entry.name) else { return nil }
        let names = await club.index.diskNames(of: entry.key)
        guard let file = try? club.access.file(names),
            let header = try? JPEGFile(at: Self.url(of: file)).header()
        else { return nil }
        return .metadata(
            kind: "photo", width: UInt64(header.size.width), height: UInt64(header.size.height))
    }

    private func make(
        _ wish: Wish, of file: borrowing Descriptor
    ) async throws(ThumbnailError) -> Data {
        let picture = JPEGFile(at: Self.url(of: file))
        let box = PixelSize(width: wish.size.pixels.width, height: wish.size.pixels.height)
        let quality = wish.quality == .quality90 ? 0.9 : 0.8
        do throws(PictureError) {
            return try await workshop.run { () throws(PictureError) in
                switch wish.mode {
                case .strict: try Thumbnail.make(of: picture, fitting: box, quality: quality).data
                case .bestfit:
                    try Thumbnail.make(of: picture, fitting: box, mode: .bestFit, quality: quality)
                        .data
                case .fitoneBestfit:
                    try Thumbnail.make(
                        of: picture, fitting: box, mode: .fitOneBestFit, quality: quality
                    ).data
                case .original: try picture.decode().image.jpegData(quality: quality)
                }
            }
        } catch {
            switch error.code {
            case .notAJPEG, .empty, .truncated, .damaged, .unsupported, .tooLarge:
                throw .unsupportedImage
            case .notFound, .isDirectory, .unreadable: throw .path(.notFound)
            case .outOfMemory, .cannotWrite, .diskFull, .cancelled: throw .conversionError
            }
        }
    }

    /// A name for a file that is open already: what it was opened as may lead elsewhere by now.
    private static func url(of file: borrowing Descriptor) -> URL {
        URL(filePath: "/proc/self/fd/\(file.number)")
    }

    private static func isPhoto(_ name: String) -> Bool {
        let key = name.lowercased()
        return key.hasSuffix(".jpg") || key.hasSuffix(".jpeg")
    }
}
