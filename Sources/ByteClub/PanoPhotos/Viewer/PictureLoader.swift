internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures

/// A decoded picture.
struct LoadedPicture: Sendable {
    var levels: PictureLevels
    let details: PictureDetails
    /// The file it was decoded from, if that is on this computer; else it is the club's preview.
    let original: LocalFile?
    /// Whether all its pixels are loaded; else more follow.
    let isWhole: Bool
    /// Whether a part of it could not be decoded and is gray.
    var isDamaged = false

    var isOriginal: Bool { original != nil }
}

/// A file on this computer with its state when it was read.
struct LocalFile: Sendable, Equatable {
    let url: URL
    let state: LocalFileState

    /// Whether it has not been written since.
    var isUnchanged: Bool { LocalFileState(at: url) == state }
}

/// Why there is no picture, as a sentence.
struct PictureFailure: Error {
    let sentence: String
    /// Whether retrying may succeed: the cause is not the photo.
    var mayPass = false
}

/// Loads pictures: from the cache, from a file on this computer, or from the club.
@MainActor struct PictureLoader {
    let club: Club
    let cache: PictureCache?
    /// The club's name in the cache.
    let clubName: String
    /// The club's own folder if it is on this computer.
    let folder: URL?

    /// The first decoding of a file has the screen's resolution; a higher one takes longer.
    private static let firstSizes = 512...2048
    /// More is read when the user zooms in.
    private static let largestSize = PixelSize(width: 4096, height: 4096)

    /// How much of a picture to load.
    enum Extent {
        /// All its levels, with a smaller picture until they are ready.
        case whole
        /// As many pixels as the screen has: it is not shown yet.
        case screen
    }

    /// - Parameters:
    ///   - original: The downloaded file of the photo's current revision.
    ///   - screen: The number of visible pixels.
    ///   - first: Called with smaller pictures if the whole one takes longer.
    ///   - progress: Called on any thread while the picture is fetched to make the preview of it.
    /// - Throws: `PictureFailure`, or `CancellationError`.
    func load(
        _ photo: RemoteFile, original: URL?, _ extent: Extent = .whole, screen: PixelSize,
        first: (LoadedPicture) -> Void = { _ in },
        progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
    ) async throws -> LoadedPicture {
        let file = await Self.local([ownFile(of: photo), original], photo)
        let key = PictureCache.Key(
            club: clubName, path: photo.path.string, revision: photo.revision.rawValue,
            file: file?.state.text)
        if let cache, let kept = await Self.kept(in: cache, key) {
            try Task.checkCancellation()
            return LoadedPicture(
                levels: kept.levels, details: kept.details, original: file, isWhole: true)
        }
        if extent == .whole, let sketch = await sketch(of: photo), !Task.isCancelled {
            first(sketch)
        }
        let loaded: LoadedPicture
        switch try await decode(file, photo, extent, screen, first) {
        case .success(let picture): loaded = picture
        case .failure(let reason):
            do {
                loaded = try await preview(of: photo, progress)
            } catch let failure as PictureFailure {
                // The file's own error is more precise than that of a club without a preview.
                if let error = reason.error { throw Self.failure(error) }
                throw failure
            }
        }
        try Task.checkCancellation()
        // The cache does not record damage.
        if let cache, loaded.isWhole, !loaded.isDamaged, loaded.isOriginal == (key.file != nil) {
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

    /// The first existing file that may be the photo; its content is checked later.
    @concurrent private nonisolated static func local(
        _ files: [URL?], _ photo: RemoteFile
    ) async -> LocalFile? {
        for case let file? in files {
            guard let state = LocalFileState(at: file), state.byteCount == photo.byteCount else {
                continue
            }
            return LocalFile(url: file, state: state)
        }
        return nil
    }

    @concurrent private nonisolated static func has(
        _ file: LocalFile, _ photo: RemoteFile
    ) async -> Bool {
        file.state.isContent(of: photo, at: file.url) && file.isUnchanged
    }

    /// The thumbnail of a photo, from this run or an earlier one.
    private func sketch(of photo: RemoteFile) async -> LoadedPicture? {
        let data = await club.local?.run {
            try $0.thumbnail(of: photo.path, revision: photo.revision, size: .w256h256)
        }
        guard let data = data ?? nil,
            let decoded = try? await PictureWorkers.shared.decode(
                PictureFile(data: data, name: photo.name)), !decoded.isDamaged
        else { return nil }
        return LoadedPicture(
            levels: PictureLevels(decoded.image),
            details: PictureDetails(size: Self.fullSize(of: data) ?? decoded.fullSize),
            original: nil, isWhole: false)
    }

    /// The size of the photo that a preview was made of, if the preview says it.
    private static func fullSize(of preview: Data) -> PixelSize? {
        FullSizeComment(of: preview).map { PixelSize(width: $0.width, height: $0.height) }
    }

    /// Why a file on this computer has no picture.
    private struct NoPicture: Error {
        /// The photo's defect; nil if the file does not exist or is another one.
        var error: PictureError?
    }

    /// If the file is not the photo, or not a picture, the preview may show more.
    private func decode(
        _ file: LocalFile?, _ photo: RemoteFile, _ extent: Extent, _ screen: PixelSize,
        _ first: (LoadedPicture) -> Void
    ) async throws -> Result<LoadedPicture, NoPicture> {
        guard let file else { return .failure(NoPicture()) }
        let picture = PictureFile(at: file.url)
        let workers = PictureWorkers.shared
        // Checked during decoding: nothing is shown before the result is known.
        let checking = Task { await Self.has(file, photo) }
        do throws(PictureError) {
            let details = try await workers.details(of: picture)
            func loaded(
                fitting box: PixelSize, isWhole: Bool
            ) async throws(PictureError) -> LoadedPicture {
                let decoded = try await workers.decode(picture, scaledToFit: box)
                let levels = await PictureQueue.previews.run { PictureLevels(decoded.image) }
                return LoadedPicture(
                    levels: levels, details: details, original: file, isWhole: isWhole,
                    isDamaged: decoded.isDamaged)
            }
            let size = details.size
            let side = min(
                max(screen.width, screen.height, Self.firstSizes.lowerBound),
                Self.firstSizes.upperBound)
            let box = PixelSize(width: side, height: side)
            let isSmall = max(size.width, size.height) <= side
            let small = try await loaded(fitting: box, isWhole: isSmall)
            guard await checking.value else { return .failure(NoPicture()) }
            guard extent == .whole, !isSmall else { return .success(small) }
            if !Task.isCancelled { first(small) }
            let whole = try await loaded(fitting: Self.largestSize, isWhole: true)
            return await Self.isUnchanged(file) ? .success(whole) : .failure(NoPicture())
        } catch {
            if Task.isCancelled { throw CancellationError() }
            guard error.isOfThePicture, await checking.value else {
                return .failure(NoPicture())
            }
            return .failure(NoPicture(error: error))
        }
    }

    @concurrent nonisolated static func isUnchanged(_ file: LocalFile) async -> Bool {
        file.isUnchanged
    }

    private static let previewSize = RemoteThumbnailSize.w2048h1536

    private func preview(
        of photo: RemoteFile, _ progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws -> LoadedPicture {
        if let error = club.undecodable.error(of: photo.path, photo.revision, Self.previewSize) {
            throw Self.failure(error)
        }
        let data: Data
        do throws(StoreError) {
            data = try await club.perform { store throws(StoreError) in
                let previews = FetchProgress.$observer.withValue(.init(progress)) {
                    store.thumbnails(of: [photo.path], size: Self.previewSize)
                }
                for await (_, result) in previews { return try result.get() }
                throw StoreError(.cancelled, during: .thumbnail, at: photo.path)
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            guard let failure = error.underlying as? PictureError, failure.isOfThePicture else {
                throw PictureFailure(
                    sentence: await sentence(for: error, about: photo),
                    mayPass: error.underlying is PictureError
                        || error.code != .noThumbnail && error.code != .notFound)
            }
            note(failure, of: photo)
            throw Self.failure(failure)
        }
        do throws(PictureError) {
            let decoded = try await PictureWorkers.shared.decode(
                PictureFile(data: data, name: photo.name))
            let levels = await PictureQueue.previews.run { PictureLevels(decoded.image) }
            return LoadedPicture(
                levels: levels,
                details: PictureDetails(size: Self.fullSize(of: data) ?? decoded.fullSize),
                original: nil, isWhole: true, isDamaged: decoded.isDamaged)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            note(error, of: photo)
            throw Self.failure(error)
        }
    }

    /// Why the club gave no preview: a required library may be missing on either side.
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
            sentence: localized("It could not be shown because \(error.reason)."),
            mayPass: !error.isOfThePicture)
    }
}
