import DropboxAPI
import FoundationEssentials
import Glibc
import ByteClubPictures

/// Makes and caches thumbnails of the club's photos.
struct ThumbnailMaker: Sendable {
    let cache: ThumbnailCache
    /// They decode in processes apart, where a photo of the usual kind does not wait for one that takes
    /// long.
    private let workers: PictureWorkers

    init(cache: ThumbnailCache, workers: PictureWorkers = .shared) {
        self.cache = cache
        self.workers = workers
    }

    /// The parameters of a thumbnail.
    struct Request: Hashable, Sendable {
        var format: ThumbnailFormat
        var size: ThumbnailSize
        var mode: ThumbnailMode
        var quality: ThumbnailQuality
    }

    /// The thumbnail of a file.
    func thumbnail(
        of entry: Entry, _ parameters: Request, in club: ClubFolder
    ) async throws(ThumbnailError) -> Data {
        guard let facts = entry.facts else { throw .path(.notFile) }
        guard Self.isPhoto(entry.name) else { throw .unsupportedExtension }
        // Not supported; Dropbox's error for it.
        guard parameters.format != .webp else { throw .conversionError }
        let ending = parameters.format == .png ? "png" : "\(parameters.quality).jpg"
        let name = "\(facts.revision)-\(parameters.size)-\(parameters.mode)-\(ending)"
        if let data = cache[name] { return data }
        // A picture that cannot be decoded is not tried again for each request: that may take
        // seconds.
        let isWhole = parameters.mode == .original
        if cache.hasFailure(of: facts.revision, isWhole: isWhole) { throw .unsupportedImage }
        let names = await club.index.diskNames(of: entry.key)
        guard let file = try? club.access.file(names) else { throw .path(.notFound) }
        let result = await make(parameters, of: file)
        // If the file has changed, the thumbnail belongs to another revision.
        if (try? FileStatus.of(file).signature) == facts.signature {
            switch result {
            case .success(let data): cache.add(data, as: name)
            case .failure(.unsupportedImage):
                cache.addFailure(of: facts.revision, isWhole: isWhole)
            case .failure: break
            }
        }
        return try result.get()
    }

    /// The size of a photo in pixels; nil for other files.
    func mediaInfo(of entry: Entry, in club: ClubFolder) async -> MediaInfo? {
        guard entry.facts != nil, Self.isPhoto(entry.name) else { return nil }
        let names = await club.index.diskNames(of: entry.key)
        guard let file = try? club.access.file(names),
            let size = try? PictureFile(at: Self.url(of: file)).size()
        else { return nil }
        return .metadata(kind: "photo", width: UInt64(size.width), height: UInt64(size.height))
    }

    private func make(
        _ parameters: Request, of file: borrowing Descriptor
    ) async -> Result<Data, ThumbnailError> {
        let picture = PictureFile(at: Self.url(of: file))
        let box = PixelSize(
            width: parameters.size.pixels.width, height: parameters.size.pixels.height)
        let format: PictureFile.Format =
            parameters.format == .png
            ? .png : .jpeg(quality: parameters.quality == .quality90 ? 0.9 : 0.8)
        let mode: Thumbnail.Mode? =
            switch parameters.mode {
            case .strict: .strict
            case .bestfit: .bestFit
            case .fitoneBestfit: .fitOneBestFit
            case .original: nil
            }
        do throws(PictureError) {
            if mode == nil, try picture.size().pixelCount > Self.originalPixelLimit {
                throw PictureError(.tooLarge, operation: "show a picture")
            }
            let small = try await workers.thumbnail(
                of: picture, as: format, fitting: box, mode: mode)
            return .success(small.data)
        } catch {
            if error.isOfThePicture { return .failure(.unsupportedImage) }
            switch error.code {
            case .notFound, .isDirectory, .unreadable: return .failure(.path(.notFound))
            default: return .failure(.conversionError)
            }
        }
    }

    /// Above it a picture is not decoded at full size, 4 bytes per pixel, however small its file is.
    private static let originalPixelLimit = 1 << 26

    /// A path to an open file: its original path may have changed.
    private static func url(of file: borrowing Descriptor) -> URL {
        URL(filePath: "/proc/self/fd/\(file.number)")
    }

    private static func isPhoto(_ name: String) -> Bool {
        let key = name.lowercased()
        return [".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif", ".avif"]
            .contains(where: key.hasSuffix)
    }
}
