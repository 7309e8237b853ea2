import DropboxAPI
import FoundationEssentials

extension ClubAPI {
    func addThumbnailRoutes(to router: inout Router) {
        router.add(Routes.getThumbnail) { argument, request in
            let parameters = ThumbnailMaker.Request(
                format: argument.format, size: argument.size, mode: argument.mode,
                quality: argument.quality)
            let (file, data) = try await request.peer.whileItWaits {
                try await thumbnail(
                    of: argument.path, parameters, withSize: !argument.excludesMediaInfo)
            }
            return Self.answer(
                data, of: file, argument.format,
                WireJSON.headerText(PreviewResult(fileMetadata: file)))
        }
        router.add(Routes.getThumbnailOfPath) { argument, request in
            let (file, data) = try await request.peer.whileItWaits {
                try await thumbnail(
                    of: argument.path, Self.makeRequest(argument),
                    withSize: !argument.excludesMediaInfo)
            }
            return Self.answer(data, of: file, argument.format, WireJSON.headerText(file))
        }
        router.on(Routes.getThumbnailBatch) { argument, request in
            guard argument.entries.count <= 25 else { throw GetThumbnailBatchError.tooManyFiles }
            let entries = try await request.peer.whileItWaits {
                await thumbnails(argument.entries)
            }
            return GetThumbnailBatchResult(entries: entries)
        }
    }

    private func thumbnails(_ arguments: [ThumbnailArg]) async -> [GetThumbnailBatchResult.Entry] {
        var entries: [GetThumbnailBatchResult.Entry] = []
        for argument in arguments where !Task.isCancelled {
            do throws(ThumbnailError) {
                let (file, data) = try await thumbnail(
                    of: argument.path, Self.makeRequest(argument),
                    withSize: !argument.excludesMediaInfo)
                entries.append(.success(file, thumbnail: data))
            } catch {
                entries.append(.failure(error))
            }
        }
        return entries
    }

    private static func makeRequest(_ argument: ThumbnailArg) -> ThumbnailMaker.Request {
        ThumbnailMaker.Request(
            format: argument.format, size: argument.size, mode: argument.mode,
            quality: argument.quality)
    }

    private static func answer(
        _ data: Data, of file: FileMetadata, _ format: ThumbnailFormat, _ result: String
    ) -> Response {
        Response(
            status: 200,
            headers: [
                ("Content-Type", "image/\(format.rawValue)"), ("Dropbox-API-Result", result),
                ("ETag", "\"\(file.revision)\""),
            ],
            body: .bytes(Array(data)))
    }

    private func thumbnail(
        of path: String, _ parameters: ThumbnailMaker.Request, withSize: Bool
    ) async throws(ThumbnailError) -> (FileMetadata, Data) {
        let entry: Entry
        do throws(LookupError) {
            entry = try await club.findFile(path).entry
        } catch {
            throw .path(error)
        }
        let data = try await thumbnails.thumbnail(of: entry, parameters, in: club)
        var file = await club.fileMetadata(of: entry)
        if withSize { file.mediaInfo = await thumbnails.mediaInfo(of: entry, in: club) }
        return (file, data)
    }
}
