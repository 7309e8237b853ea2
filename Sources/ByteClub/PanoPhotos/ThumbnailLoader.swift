internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Messages
internal import Pictures
internal import TerminalPictures
internal import TerminalUI

/// Fetches small pictures of the club's photos and turns them into cells, each as it arrives.
///
/// Callers ask for what they show; what is not there yet is fetched and `onArrival` says when to draw
/// again. Decoding and rendering run off the main actor. The number kept is bounded: the ones not
/// asked for longest go first.
@MainActor final class ThumbnailLoader {
    enum State: Equatable {
        case loading
        case loaded(Picture)
        /// There is no picture to show; why, in a few words.
        case unavailable(String)
    }

    /// A small picture in characters, and in pixels where the terminal shows them.
    struct Picture: Equatable {
        let cells: ImageCells
        let graphic: Graphic?
        /// Of the whole photo, in pixels, where the thumbnail says it.
        let fullSize: FullSizeComment?
    }

    /// Called on the main actor after one or more pictures have arrived.
    var onArrival: (() -> Void)?

    private let club: Club
    private let size: ThumbnailSize
    private let renderer: PictureRenderer
    /// What the pictures are drawn for.
    let terminal: PictureTerminal
    let box: CellSize
    private let capacity: Int

    /// A picture is of one revision of a file: a changed file is another picture.
    private struct Key: Hashable {
        var path: RemotePath
        var revision: Revision
    }

    private struct Entry {
        var state: State
        /// Whether the picture itself is to blame: trying again changes nothing.
        var isFinal = false
        var lastUse: Int
    }

    private var entries: [Key: Entry] = [:]
    private var wanted: [Key] = []
    private var uses = 0
    private var running: Task<Void, Never>?

    /// Dropbox takes 25 thumbnails in one call; fewer at a time follow a scrolling list better.
    private static let batchCount = 12
    /// More rows than a screen has; who scrolls through a large club wants what is in sight in the end.
    private static let waitingLimit = 96

    /// - Parameters:
    ///   - size: What the store is asked for.
    ///   - box: The cells a picture is fitted into.
    ///   - capacity: How many pictures are kept.
    init(
        club: Club, size: ThumbnailSize, renderer: PictureRenderer, on terminal: PictureTerminal,
        box: CellSize, capacity: Int = 400
    ) {
        self.terminal = terminal
        self.club = club
        self.size = size
        self.renderer = renderer
        self.box = box
        self.capacity = capacity
    }

    /// A loader for pictures that fill a box, asking the store for no more pixels than it can use.
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

    /// What there is of a photo's picture; asks for it when there is nothing yet.
    func state(of file: RemoteFile) -> State {
        let key = Key(path: file.path, revision: file.revision)
        uses += 1
        if entries[key] != nil {
            entries[key]?.lastUse = uses
            return entries[key]?.state ?? .loading
        }
        guard club.undecodable.error(of: file.path, file.revision, size) == nil else {
            let state = State.unavailable("damaged")
            entries[key] = Entry(state: state, isFinal: true, lastUse: uses)
            return state
        }
        entries[key] = Entry(state: .loading, lastUse: uses)
        wanted.append(key)
        if wanted.count > Self.waitingLimit {
            // Scrolled away long ago: it is asked for again when it is in sight.
            entries[wanted.removeFirst()] = nil
        }
        startIfIdle()
        return .loading
    }

    /// The photo's picture, where it is here; asks for nothing.
    func picture(of file: RemoteFile) -> Picture? {
        let entry = entries[Key(path: file.path, revision: file.revision)]
        if case .loaded(let picture) = entry?.state { return picture }
        return nil
    }

    /// Forgets failures, so that they are tried again: the connection is back, or a person asked. Those
    /// that are the picture's own stay, until another revision of it is there.
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

    /// The latest wishes first: they are what the list shows now.
    private func loadNextBatch() async {
        let wishes = Array(wanted.suffix(Self.batchCount))
        wanted.removeLast(wishes.count)
        club.activity.begin()
        defer { club.activity.end() }
        var batch: [Key] = []
        for key in wishes {
            guard let data = await keptPicture(key),
                case (.loaded(let picture), _) = await Self.state(
                    .success(data), key.path, renderer, terminal, box)
            else {
                batch.append(key)
                continue
            }
            settle(key, .loaded(picture))
        }
        guard !batch.isEmpty, !Task.isCancelled else { return }
        let keys = Dictionary(batch.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
        let (size, renderer, terminal, box) = (size, renderer, terminal, box)
        let result: Result<Void, StoreError> = await {
            do throws(StoreError) {
                try await club.perform { store throws(StoreError) in
                    // The others do not wait for a slow one.
                    await withDiscardingTaskGroup { group in
                        for await (path, result) in store.thumbnails(
                            of: batch.map(\.path), size: size)
                        {
                            guard let key = keys[path] else { continue }
                            group.addTask {
                                let (state, failure) = await Self.state(
                                    result, path, renderer, terminal, box)
                                await self.settle(key, state, failure)
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
            // The stream ended early, or there was no connection at all.
            if case .failure = result {
                settle(key, .unavailable(localized("not reachable")))
            } else {
                settle(key, .unavailable(localized("no picture")))
            }
        }
    }

    /// A picture that came here in an earlier run.
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

    /// - Parameter failure: Of the picture itself.
    private func settle(_ key: Key, _ state: State, _ failure: PictureError? = nil) {
        club.undecodable.note(failure, of: key.path, key.revision, size)
        guard entries[key] != nil else { return }
        entries[key]?.state = state
        entries[key]?.isFinal = failure?.isOfThePicture ?? false
        onArrival?()
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
                return (.unavailable(localized("damaged")), error)
            }
        case .failure(let error):
            // Whose it is, the store may know.
            let failure = error.underlying as? PictureError
            switch error.code {
            case .noThumbnail, .damaged:
                guard let format = await MissingLibrary.format(ofPhotoNamed: path.name) else {
                    // Dropbox makes none of HEIC and AVIF, which says nothing about the photo.
                    let isKnown =
                        failure != nil || FileFormat(libraryPictureNamed: path.name) == nil
                    return (
                        .unavailable(isKnown ? localized("damaged") : localized("no picture")),
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
