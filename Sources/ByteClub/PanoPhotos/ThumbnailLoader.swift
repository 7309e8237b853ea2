internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import ByteClubPictures
internal import TerminalPictures
internal import TerminalUI

/// Fetches and renders thumbnails of the club's photos.
///
/// Callers request what they show; `onArrival` reports when to redraw. Decoding and rendering run off the
/// main actor. The number kept is limited; those requested least recently are removed first.
@MainActor final class ThumbnailLoader {
    enum State: Equatable {
        case loading
        case loaded(Picture)
        /// There is no picture; the reason in a few words.
        case unavailable(String)
    }

    /// A thumbnail in characters, and in pixels if the terminal shows them.
    struct Picture: Equatable {
        let cells: ImageCells
        let graphic: Graphic?
        /// The size of the photo in pixels, if the thumbnail contains it.
        let fullSize: FullSizeComment?
    }

    /// Called on the main actor when one or more thumbnails have arrived.
    var onArrival: (() -> Void)?

    private let club: Club
    private let size: RemoteThumbnailSize
    private let renderer: PictureRenderer
    /// The terminal that the pictures are rendered for.
    let terminal: PictureTerminal
    let box: CellSize
    private let capacity: Int

    /// A thumbnail belongs to one revision of a file.
    private struct Key: Hashable {
        var path: RemotePath
        var revision: Revision
    }

    private struct Entry {
        var state: State
        /// Whether the failure is due to the photo itself: retrying is useless.
        var isFinal = false
        var lastUse: Int
    }

    private var entries: [Key: Entry] = [:]
    private var wanted: [Key] = []
    private var uses = 0
    private var running: Task<Void, Never>?

    /// Dropbox accepts 25 per call; smaller batches follow a scrolling list better.
    private static let batchCount = 12
    /// More rows than a screen has: after scrolling through a large club, only the visible ones matter.
    private static let waitingLimit = 96

    /// - Parameters:
    ///   - size: The size requested from the store.
    ///   - box: The cells to fit a picture into.
    ///   - capacity: The number of pictures kept.
    init(
        club: Club, size: RemoteThumbnailSize, renderer: PictureRenderer,
        on terminal: PictureTerminal,
        box: CellSize, capacity: Int = 400
    ) {
        self.terminal = terminal
        self.club = club
        self.size = size
        self.renderer = renderer
        self.box = box
        self.capacity = capacity
    }

    /// A loader for pictures that fill a box, requesting only as many pixels as can be used.
    convenience init(
        club: Club, renderer: PictureRenderer, on terminal: PictureTerminal, filling box: CellSize,
        capacity: Int
    ) {
        // By width alone: a panorama fills the box's width long before its height.
        let pixels = renderer.pixelSize(of: box)
        self.init(
            club: club, size: .smallest(covering: pixels.width, by: 1),
            renderer: renderer, on: terminal, box: box, capacity: capacity)
    }

    /// The state of a photo's thumbnail; requests it if needed.
    func state(of file: RemoteFile) -> State {
        let key = Key(path: file.path, revision: file.revision)
        uses += 1
        if entries[key] != nil {
            entries[key]?.lastUse = uses
            return entries[key]?.state ?? .loading
        }
        if let error = club.undecodable.error(of: file.path, file.revision, size) {
            let state = State.unavailable(Self.word(for: error))
            entries[key] = Entry(state: state, isFinal: true, lastUse: uses)
            return state
        }
        entries[key] = Entry(state: .loading, lastUse: uses)
        wanted.append(key)
        if wanted.count > Self.waitingLimit {
            // It was scrolled out of view long ago; it is requested again when visible.
            entries[wanted.removeFirst()] = nil
        }
        startIfIdle()
        return .loading
    }

    /// The photo's thumbnail if available; requests nothing.
    func picture(of file: RemoteFile) -> Picture? {
        let entry = entries[Key(path: file.path, revision: file.revision)]
        if case .loaded(let picture) = entry?.state { return picture }
        return nil
    }

    /// Resets failures so that they are retried: after a reconnection, or at the user's request. Failures of
    /// the photo itself stay until its revision changes.
    func retryFailures() {
        entries = entries.filter { entry in
            if case .unavailable = entry.value.state { entry.value.isFinal } else { true }
        }
    }

    func cancel() {
        running?.cancel()
        running = nil
        wanted = []
        entries = entries.filter { $0.value.state != .loading }
    }
}

extension ThumbnailLoader {
    private func startIfIdle() {
        guard running == nil, !wanted.isEmpty else { return }
        running = Task {
            while !Task.isCancelled, !wanted.isEmpty {
                await loadNextBatch()
                trim()
            }
            if !Task.isCancelled { running = nil }
        }
    }

    /// The latest requests come first: they are visible now.
    private func loadNextBatch() async {
        let requests = Array(wanted.suffix(Self.batchCount))
        wanted.removeLast(requests.count)
        club.activity.begin()
        defer { club.activity.end() }
        var batch: [Key] = []
        for key in requests {
            guard let data = await keptPicture(key),
                case (.loaded(let picture), _) = await Self.state(
                    .success(data), key.path, renderer, terminal, box)
            else {
                batch.append(key)
                continue
            }
            finish(key, .loaded(picture))
        }
        guard !batch.isEmpty, !Task.isCancelled else { return }
        let keys = Dictionary(batch.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        let (size, renderer, terminal, box) = (size, renderer, terminal, box)
        let result: Result<Void, StoreError> = await {
            do throws(StoreError) {
                try await club.perform { store throws(StoreError) in
                    // A slow one does not block the others.
                    await withDiscardingTaskGroup { group in
                        for await (path, result) in store.thumbnails(
                            of: batch.map(\.path), size: size)
                        {
                            guard let key = keys[path] else { continue }
                            group.addTask {
                                let (state, failure) = await Self.state(
                                    result, path, renderer, terminal, box)
                                await self.finish(key, state, failure)
                                if case (.loaded, .success(let data)) = (state, result) {
                                    await self.keep(data, key)
                                }
                            }
                        }
                    }
                }
                return .success(())
            } catch {
                return .failure(error)
            }
        }()
        guard !Task.isCancelled else { return }
        for key in batch where entries[key]?.state == .loading {
            // The stream ended early, or there was no connection.
            if case .failure = result {
                finish(key, .unavailable(localized("not reachable")))
            } else {
                finish(key, .unavailable(localized("no picture")))
            }
        }
    }

    /// A thumbnail stored in an earlier run.
    private func keptPicture(_ key: Key) async -> Data? {
        let size = size
        return await club.local?.run {
            try $0.thumbnail(of: key.path, revision: key.revision, size: size)
        } ?? nil
    }

    private func keep(_ data: Data, _ key: Key) {
        let size = size
        club.local?.note {
            try $0.keepThumbnail(data, of: key.path, revision: key.revision, size: size)
        }
    }

    /// - Parameter failure: Set if the photo itself is the cause.
    private func finish(_ key: Key, _ state: State, _ failure: PictureError? = nil) {
        club.undecodable.note(failure, of: key.path, key.revision, size)
        guard entries[key] != nil else { return }
        entries[key]?.state = state
        entries[key]?.isFinal = failure?.isOfThePicture ?? false
        onArrival?()
    }

    /// Why there is no thumbnail, in the words of a list's row.
    private nonisolated static func word(for error: PictureError?) -> String {
        switch error?.code {
        case .tooLarge, .tooCostly: localized("too large")
        default: localized("damaged")
        }
    }

    private nonisolated static func state(
        _ result: Result<Data, StoreError>, _ path: RemotePath, _ renderer: PictureRenderer,
        _ terminal: PictureTerminal, _ box: CellSize
    ) async -> (State, failure: PictureError?) {
        switch result {
        case .success(let data):
            do throws(PictureError) {
                let decoded = try await PictureWorkers.shared.decode(
                    PictureFile(data: data, name: path.name),
                    scaledToFit: renderer.pixelSize(of: box))
                // It was truncated on its way, perhaps: it is not kept, and asked for again.
                guard !decoded.isDamaged else { return (.unavailable(word(for: nil)), nil) }
                let id = Graphic.makeID()
                let frame = await PictureQueue.previews.run {
                    renderer.frame(of: decoded.image, fitting: box, id: id)
                }
                let picture = Picture(
                    cells: ImageCells(frame.cells),
                    graphic: frame.pixels.flatMap {
                        $0.bytes.isEmpty ? nil : Graphic($0, on: terminal)
                    }, fullSize: FullSizeComment(of: data))
                return (.loaded(picture), nil)
            } catch {
                return (.unavailable(word(for: error)), error)
            }
        case .failure(let error):
            // The store may know the cause.
            let failure = error.underlying as? PictureError
            switch error.code {
            case .noThumbnail, .damaged:
                guard let format = await MissingLibrary.format(ofPhotoNamed: path.name) else {
                    // Dropbox does not support HEIC and AVIF, which says nothing about the photo.
                    let isKnown =
                        failure != nil || FileFormat(libraryPictureNamed: path.name) == nil
                    return (
                        .unavailable(isKnown ? word(for: failure) : localized("no picture")),
                        failure
                    )
                }
                return (.unavailable(MissingLibrary.words(for: format)), nil)
            case .tooLarge: return (.unavailable(localized("too large")), nil)
            case .notFound: return (.unavailable(localized("gone")), nil)
            default: return (.unavailable(localized("not reachable")), nil)
            }
        }
    }

    private func trim() {
        guard entries.count > capacity else { return }
        let oldest = entries.filter { $0.value.state != .loading }
            .sorted { $0.value.lastUse < $1.value.lastUse }
            .prefix(entries.count - capacity)
        for (key, _) in oldest { entries[key] = nil }
    }
}
