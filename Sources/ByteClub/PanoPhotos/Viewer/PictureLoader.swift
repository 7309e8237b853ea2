internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import Glibc
internal import Messages
internal import Pictures

/// A picture that can be looked at.
struct LoadedPicture: Sendable {
    var levels: PictureLevels
    let details: PictureDetails
    /// The file it was made of, where that is on this computer; else it is the preview that the club
    /// makes.
    let original: URL?

    var isOriginal: Bool { original != nil }
}

/// Why there is no picture, as a sentence.
struct PictureFailure: Error {
    let sentence: String
}

/// Brings pictures: from what was kept of an earlier look, from the file where it is on this computer, or
/// from the club.
@MainActor struct PictureLoader {
    let club: Club
    let cache: PictureCache?
    /// Names the club in the cache.
    let clubName: String
    /// The club's own folder, where it is on this computer.
    let folder: URL?

    /// The first pixels of a file are those of a screen; more take a moment longer.
    private static let firstSize = PixelSize(width: 2048, height: 2048)
    /// More are read where somebody looks closely.
    private static let largestSize = PixelSize(width: 4096, height: 4096)

    /// - Parameters:
    ///   - original: The photo in the state that the club has, where it was downloaded.
    ///   - first: Called with a smaller picture, when the whole one takes longer.
    /// - Throws: `PictureFailure`, or `CancellationError`.
    func load(
        _ photo: RemoteFile, original: URL?, first: (LoadedPicture) -> Void = { _ in }
    ) async throws -> LoadedPicture {
        var file = await usableFile(original, photo)
        if file == nil { file = await usableFile(ownFile(of: photo), photo) }
        let key = PictureCache.Key(
            club: clubName, path: photo.path.string, revision: photo.revision.rawValue,
            isOriginal: file != nil)
        if let cache, let kept = await Self.kept(in: cache, key) {
            try Task.checkCancellation()
            return LoadedPicture(levels: kept.levels, details: kept.details, original: file)
        }
        let loaded: LoadedPicture
        if let file, let picture = try await decode(file, photo, first) {
            loaded = picture
        } else {
            loaded = try await preview(of: photo)
        }
        try Task.checkCancellation()
        if let cache, loaded.isOriginal == key.isOriginal {
            let (levels, details) = (loaded.levels, loaded.details)
            Task.detached(priority: .background) { cache.keep(levels, details, for: key) }
        }
        return loaded
    }

    @concurrent private nonisolated static func kept(
        in cache: PictureCache, _ key: PictureCache.Key
    ) async -> (levels: PictureLevels, details: PictureDetails)? {
        cache.picture(for: key)
    }

    private func ownFile(of photo: RemoteFile) -> URL? {
        folder?.appending(path: String(photo.path.string.drop { $0 == "/" }))
    }

    /// The file, if it is there and as long as the club says.
    @concurrent private nonisolated func usableFile(_ file: URL?, _ photo: RemoteFile) async -> URL?
    {
        var status = stat()
        guard let file, stat(file.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            Int64(status.st_size) == photo.byteCount
        else { return nil }
        return file
    }

    /// Nil when it is not a picture after all: the preview says more.
    private func decode(
        _ file: URL, _ photo: RemoteFile, _ first: (LoadedPicture) -> Void
    ) async throws -> LoadedPicture? {
        let picture = PictureFile(at: file)
        let workers = PictureWorkers.shared
        do throws(PictureError) {
            let details = try await workers.details(of: picture)
            func loaded(fitting box: PixelSize) async throws(PictureError) -> LoadedPicture {
                let decoded = try await workers.decode(picture, scaledToFit: box)
                let levels = await PictureQueue.previews.run { PictureLevels(decoded.image) }
                return LoadedPicture(levels: levels, details: details, original: file)
            }
            let small = try await loaded(fitting: Self.firstSize)
            let size = details.size
            guard max(size.width, size.height) > Self.firstSize.width else { return small }
            if !Task.isCancelled { first(small) }
            return try await loaded(fitting: Self.largestSize)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            return nil
        }
    }

    private static let previewSize = ThumbnailSize.w2048h1536

    private func preview(of photo: RemoteFile) async throws -> LoadedPicture {
        if let error = club.undecodable.error(of: photo.path, photo.revision, Self.previewSize) {
            throw Self.failure(error)
        }
        let data: Data
        do throws(StoreError) {
            data = try await club.perform { store throws(StoreError) in
                for await (_, result) in store.thumbnails(
                    of: [photo.path], size: Self.previewSize)
                {
                    return try result.get()
                }
                throw StoreError(.cancelled, during: .thumbnail, at: photo.path)
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            guard let failure = error.underlying as? PictureError, failure.isOfThePicture else {
                throw PictureFailure(sentence: await sentence(for: error, about: photo))
            }
            note(failure, of: photo)
            throw Self.failure(failure)
        }
        do throws(PictureError) {
            let decoded = try await PictureWorkers.shared.decode(
                PictureFile(data: data, name: photo.name))
            let levels = await PictureQueue.previews.run { PictureLevels(decoded.image) }
            return LoadedPicture(
                levels: levels, details: PictureDetails(size: decoded.fullSize), original: nil)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            note(error, of: photo)
            throw Self.failure(error)
        }
    }

    /// Why the club gave no preview: what it needs may be missing here or there.
    private func sentence(for error: StoreError, about photo: RemoteFile) async -> String {
        guard error.code == .noThumbnail, FileFormat(libraryPictureNamed: photo.name) != nil else {
            return club.sentence(for: error).text
        }
        if let format = await MissingLibrary.format(ofPhotoNamed: photo.name) {
            return MissingLibrary.sentence(for: format)
        }
        return localized("The club makes no preview of it. D downloads it; then it is shown.")
    }

    private func note(_ error: PictureError, of photo: RemoteFile) {
        club.undecodable.note(error, of: photo.path, photo.revision, Self.previewSize)
    }

    private static func failure(_ error: PictureError) -> PictureFailure {
        PictureFailure(
            sentence: localized("It could not be shown because \(error.reason)."))
    }
}
