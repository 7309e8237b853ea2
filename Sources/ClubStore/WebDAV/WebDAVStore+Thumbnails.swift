import CurlNetworking
public import FoundationEssentials
import Pictures
import Synchronization

extension WebDAVStore {
    public func thumbnails(
        of paths: [RemotePath], size: ThumbnailSize
    ) -> AsyncStream<(path: RemotePath, result: Result<Data, StoreError>)> {
        AsyncStream { continuation in
            let work = Task { @concurrent [self] in
                await makeThumbnails(of: paths, size: size) { path, result in
                    continuation.yield((path, result))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in work.cancel() }
        }
    }
}

extension WebDAVStore {
    /// Whole pictures are in memory while they are made small.
    private static let picturesAtOnce = 3

    private func makeThumbnails(
        of paths: [RemotePath], size: ThumbnailSize,
        answer: @escaping @Sendable (RemotePath, Result<Data, StoreError>) -> Void
    ) async {
        var waiting = paths[...]
        await withTaskGroup(of: Void.self) { group in
            let next: @Sendable (RemotePath) async -> Void = { path in
                do throws(StoreError) {
                    answer(path, .success(try await self.thumbnail(of: path, size: size)))
                } catch {
                    answer(path, .failure(error))
                }
            }
            for _ in 0..<Self.picturesAtOnce {
                guard let path = waiting.popFirst() else { break }
                group.addTask { await next(path) }
            }
            while await group.next() != nil {
                guard !Task.isCancelled, let path = waiting.popFirst() else { continue }
                group.addTask { await next(path) }
            }
        }
    }

    /// The server's own preview where it has one, else one made of the picture itself.
    private func thumbnail(
        of path: RemotePath, size: ThumbnailSize
    ) async throws(StoreError) -> Data {
        guard !path.isRoot else { throw StoreError(.noThumbnail, during: .thumbnail, at: path) }
        if let preview = try await preview(of: path, size: size) { return preview }
        let sink = PictureSink(
            limit: configuration.limits.pictureByteCount, path: path)
        _ = try await connection.send(
            during: .thumbnail, at: path, through: loader,
            observers: HTTPLoader.Observers(sink: sink)
        ) { [address] in .get(address.url(of: path)) }
        let picture = sink.finish()
        let box = PixelSize(width: size.width, height: size.height)
        do throws(PictureError) {
            return try await PictureQueue.previews.run { () throws(PictureError) in
                try Thumbnail.make(
                    of: JPEGFile(data: picture, name: "picture"), fitting: box, mode: .bestFit
                ).data
            }
        } catch {
            throw StoreError(
                error.code == .cancelled ? .cancelled : .noThumbnail, during: .thumbnail, at: path,
                underlying: error)
        }
    }

    /// Nil where there is none to be had, or not as a JPEG.
    private func preview(
        of path: RemotePath, size: ThumbnailSize
    ) async throws(StoreError) -> Data? {
        guard let nextcloud else { return nil }
        var known = memory.file(at: path)
        if known?.fileID == nil { known = try await currentFile(at: path, during: .thumbnail) }
        guard let known, let fileID = known.fileID, known.hasPreview != false else { return nil }
        let target = nextcloud.previewTarget(
            fileID: fileID, width: size.width, height: size.height)
        do throws(StoreError) {
            let answer = try await send(
                .get(address.origin + target), limit: WebDAVConnection.answerLimit * 8,
                during: .thumbnail, at: path)
            return answer.body.starts(with: [0xFF, 0xD8]) ? answer.body : nil
        } catch {
            // None of this file, or a server that has switched them off.
            switch error.code {
            case .offline, .cancelled, .timedOut, .unauthorized: throw error
            default: return nil
            }
        }
    }
}

/// Takes a JPEG into memory, and nothing else: what does not begin like one is given up at once.
private final class PictureSink: BodySink {
    private let limit: Int
    private let path: RemotePath
    private let picture = Mutex(Data())

    init(limit: Int, path: RemotePath) {
        self.limit = limit
        self.path = path
    }

    func begin(_ response: HTTPURLResponse) throws(StoreError) {
        picture.withLock { $0 = Data() }
        guard response.expectedContentLength <= Int64(limit) else {
            throw StoreError(.tooLarge, during: .thumbnail, at: path)
        }
    }

    func take(_ data: Data) throws(StoreError) {
        let (count, isPicture) = picture.withLock { picture in
            picture.append(data)
            return (picture.count, picture.starts(with: [0xFF, 0xD8].prefix(picture.count)))
        }
        guard isPicture else { throw StoreError(.noThumbnail, during: .thumbnail, at: path) }
        guard count <= limit else { throw StoreError(.tooLarge, during: .thumbnail, at: path) }
    }

    func finish() -> Data {
        picture.withLock { picture in
            defer { picture = Data() }
            return picture
        }
    }
}
