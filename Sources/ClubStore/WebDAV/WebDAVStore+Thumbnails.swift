import CurlNetworking
public import FoundationEssentials

extension WebDAVStore {
    public func thumbnails(
        of paths: [RemotePath], size: RemoteThumbnailSize
    ) -> AsyncStream<(path: RemotePath, result: Result<Data, StoreError>)> {
        ThumbnailStream.make(of: paths, atOnce: Self.picturesAtOnce) { [self] path, answer in
            do throws(StoreError) {
                answer((path, .success(try await thumbnail(of: path, size: size))))
            } catch {
                answer((path, .failure(error)))
            }
        }
    }
}

extension WebDAVStore {
    /// Limited, since each full picture is in memory while it is scaled.
    private static let picturesAtOnce = 3

    /// The server's own preview if it has one, else one made from the picture.
    private func thumbnail(
        of path: RemotePath, size: RemoteThumbnailSize
    ) async throws(StoreError) -> Data {
        guard !path.isRoot else { throw StoreError(.noThumbnail, during: .thumbnail, at: path) }
        if let preview = try await preview(of: path, size: size) { return preview }
        guard let thumbnailer = configuration.thumbnailer else {
            throw StoreError(.noThumbnail, during: .thumbnail, at: path)
        }
        let sink = PictureSink(limit: configuration.limits.pictureByteCount, path: path)
        if let small = try await embeddedPicture(of: path, size: size, into: sink, thumbnailer) {
            return small
        }
        if !sink.isComplete {
            try await receive(sink, at: path) { [address] () throws(StoreError) in
                sink.requestForRest(of: address.url(of: path))
            }
        }
        let picture = sink.finish()
        return try await make(at: path) {
            try await thumbnailer.thumbnail(of: picture, size: size)
        }
    }

    /// The thumbnail embedded by a camera, if it is large enough: then the rest of the picture need
    /// not be fetched.
    ///
    /// Otherwise nil; the sink then holds the beginning.
    private func embeddedPicture(
        of path: RemotePath, size: RemoteThumbnailSize, into sink: PictureSink,
        _ thumbnailer: any Thumbnailer
    ) async throws(StoreError) -> Data? {
        // Cameras embed 160 × 120, some twice that.
        guard size.width <= 640 else { return nil }
        let count = configuration.limits.pictureBeginning
        do throws(StoreError) {
            try await receive(sink, at: path) { [address] () throws(StoreError) in
                .get(address.url(of: path), through: Int64(count - 1))
            }
        } catch {
            // An empty file has no first byte.
            guard error.refusedStatus == 416 else { throw error }
            throw StoreError(.noThumbnail, during: .thumbnail, at: path, underlying: error)
        }
        guard !sink.isComplete else { return nil }
        let beginning = sink.picture
        do throws(StoreError) {
            return try await make(at: path) {
                try await thumbnailer.embeddedThumbnail(in: beginning, size: size)
            }
        } catch {
            guard error.code == .noThumbnail else { throw error }
            return nil
        }
    }

    private func receive(
        _ sink: PictureSink, at path: RemotePath,
        makeRequest: @Sendable () throws(StoreError) -> WebDAVRequest
    ) async throws(StoreError) {
        _ = try await connection.send(
            during: .thumbnail, at: path, through: loader,
            observers: HTTPLoader.Observers(sink: sink), makeRequest: makeRequest)
    }

    private func make(
        at path: RemotePath, _ work: () async throws -> Data
    ) async throws(StoreError) -> Data {
        do {
            return try await work()
        } catch {
            throw StoreError(
                error is CancellationError ? .cancelled : .noThumbnail, during: .thumbnail,
                at: path, underlying: error)
        }
    }

    /// Nil without a preview in JPEG.
    private func preview(
        of path: RemotePath, size: RemoteThumbnailSize
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
            guard answer.body.isJPEG else { return nil }
            // The preview itself does not say how large the photo is.
            return known.fullSize?.added(to: answer.body) ?? answer.body
        } catch {
            // No preview of this file, or the server has disabled them.
            switch error.code {
            case .offline, .cancelled, .timedOut, .unauthorized: throw error
            default: return nil
            }
        }
    }
}
