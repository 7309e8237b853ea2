import DropboxAPI
import FoundationEssentials

extension ClubAPI {
    func addThumbnailRoutes(to router: inout Router) {
        router.add(Routes.getThumbnail) { argument, _ in
            let wish = ThumbnailMaker.Wish(
                format: argument.format, size: argument.size, mode: argument.mode,
                quality: argument.quality)
            let (file, data) = try await thumbnail(of: argument.path, wish)
            return Self.answer(
                data, of: file, argument.format,
                WireJSON.headerText(PreviewResult(fileMetadata: file)))
        }
        router.add(Routes.getThumbnailOfPath) { argument, _ in
            let (file, data) = try await thumbnail(of: argument.path, Self.wish(argument))
            return Self.answer(data, of: file, argument.format, WireJSON.headerText(file))
        }
        router.on(Routes.getThumbnailBatch) { argument, _ in
            guard argument.entries.count <= 25 else { throw GetThumbnailBatchError.tooManyFiles }
            var entries: [GetThumbnailBatchResult.Entry] = []
            for argument in argument.entries {
                do throws(ThumbnailError) {
                    let (file, data) = try await thumbnail(
                        of: argument.path, Self.wish(argument))
                    entries.append(.success(file, thumbnail: data))
                } catch {
                    entries.append(.failure(error))
                }
            }
            return GetThumbnailBatchResult(entries: entries)
        }
    }

    private static func wish(_ argument: ThumbnailArg) -> ThumbnailMaker.Wish {
        ThumbnailMaker.Wish(
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
        of path: String, _ wish: ThumbnailMaker.Wish
    ) async throws(ThumbnailError) -> (FileMetadata, Data) {
        let entry: Entry
        do throws(LookupError) {
            entry = try await club.findFile(path).entry
        } catch {
            throw .path(error)
        }
        let data = try await thumbnails.thumbnail(of: entry, wish, in: club)
        return (await club.fileMetadata(of: entry), data)
    }
}
