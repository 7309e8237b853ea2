import CurlNetworking
import DropboxAPI
public import FoundationEssentials

extension DropboxStore {
    public func thumbnails(
        of paths: [RemotePath], size: RemoteThumbnailSize
    ) -> AsyncStream<(path: RemotePath, result: Result<Data, StoreError>)> {
        let count = min(max(1, configuration.thumbnailsPerRequest), 25)
        let batches = stride(from: 0, to: paths.count, by: count).map { start in
            Array(paths[start..<min(start + count, paths.count)])
        }
        return ThumbnailStream.make(of: batches, atOnce: Self.requestsAtOnce) {
            [self] batch, answer in
            await makeBatch(batch, size: size, answer: answer)
        }
    }
}

extension DropboxStore {
    private typealias Answers = [Result<Data, StoreError>]

    /// The number of concurrent requests.
    private static let requestsAtOnce = 3

    private func makeBatch(
        _ paths: [RemotePath], size: RemoteThumbnailSize,
        answer: @Sendable (ThumbnailStream.Answer) -> Void
    ) async {
        if paths.count > 1, let answers = await askForBatch(paths, size: size) {
            for (path, result) in zip(paths, answers) { answer((path, result)) }
            return
        }
        for path in paths { answer((path, await askForOne(path, size: size))) }
    }

    /// Nil when single requests may succeed instead: proxies drop large responses, and a
    /// gateway may not know the route.
    private func askForBatch(_ paths: [RemotePath], size: RemoteThumbnailSize) async -> Answers? {
        let entries = paths.map { path in
            ThumbnailArg(path: self.paths.wire(path), size: wire(size), mode: .bestfit)
        }
        do throws(StoreError) {
            let result = try await call(
                Routes.getThumbnailBatch, GetThumbnailBatchArg(entries: entries),
                during: .thumbnail, at: nil)
            guard result.entries.count == paths.count else { return nil }
            return zip(paths, result.entries).map { path, entry in
                switch entry {
                case .success(let file, let thumbnail):
                    return .success(Self.stating(file.mediaInfo, in: thumbnail))
                case .failure(let error):
                    let refusal = DropboxRefusal(tags: error.tags)
                    return .failure(refusal.error(during: .thumbnail, at: path))
                case .other:
                    return .failure(StoreError(.noThumbnail, during: .thumbnail, at: path))
                }
            }
        } catch {
            switch error.code {
            case .badAnswer, .badRequest, .refused, .tooLarge, .notFound, .serverError: return nil
            default:
                return paths.map { path in
                    var error = error
                    error.path = path
                    return .failure(error)
                }
            }
        }
    }

    private func askForOne(
        _ path: RemotePath, size: RemoteThumbnailSize
    ) async -> Result<Data, StoreError> {
        do throws(StoreError) {
            let call = try DropboxCall(
                Routes.getThumbnail,
                ThumbnailV2Arg(path: paths.wire(path), size: wire(size), mode: .bestfit))
            let answer = try await send(call, during: .thumbnail, at: path)
            guard answer.body.isJPEG else {
                throw StoreError(
                    .badAnswer, during: .thumbnail, at: path,
                    detail: "a thumbnail that is not a JPEG")
            }
            // The picture is what was requested; the metadata is optional.
            let result = answer.response.value(forHTTPHeaderField: "Dropbox-API-Result")
                .flatMap { try? WireJSON.decode(from: Data($0.utf8)) as PreviewResult }
            return .success(Self.stating(result?.fileMetadata?.mediaInfo, in: answer.body))
        } catch {
            return .failure(error)
        }
    }

    private static func stating(_ info: MediaInfo?, in thumbnail: Data) -> Data {
        guard let dimensions = info?.dimensions, let width = Int(exactly: dimensions.width),
            let height = Int(exactly: dimensions.height),
            let size = FullSizeComment(width: width, height: height)
        else { return thumbnail }
        return size.added(to: thumbnail)
    }

    private func wire(_ size: RemoteThumbnailSize) -> ThumbnailSize {
        switch size {
        case .w32h32: .w32h32
        case .w64h64: .w64h64
        case .w128h128: .w128h128
        case .w256h256: .w256h256
        case .w480h320: .w480h320
        case .w640h480: .w640h480
        case .w960h640: .w960h640
        case .w1024h768: .w1024h768
        case .w2048h1536: .w2048h1536
        }
    }
}
