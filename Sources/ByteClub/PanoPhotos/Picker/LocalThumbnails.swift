internal import FoundationEssentials
internal import ByteClubPictures
internal import TerminalUI

/// Thumbnails of files on this computer, for the visible rows.
///
/// When a row scrolls out of view before its thumbnail is ready, the work and its process are cancelled.
/// Picture workers do all decoding.
@MainActor final class LocalThumbnails {
    enum State: Equatable {
        case loading
        case loaded(CellImage)
        /// There is no picture; the reason in a few words.
        case unavailable(String)
    }

    typealias Render =
        @Sendable (String, CellSize, CellRenderer) async -> Result<CellImage, PictureError>

    let box: CellSize
    /// Called when one or more thumbnails are ready.
    var onArrival: (() -> Void)?

    private let renderer: CellRenderer
    private let render: Render
    /// Starts work that counts as pending.
    private let start: (@escaping @MainActor () async -> Void) -> Task<Void, Never>

    private var states: [Key: State] = [:]
    private var running: [Key: Task<Void, Never>] = [:]
    private var waiting: [Key] = []

    /// The number of thumbnails made at once, and the number kept.
    private static let slotCount = 2
    private static let capacity = 1_000

    /// A changed file has a new key.
    private struct Key: Hashable {
        let path: String
        let byteCount: Int64
        let modified: Date?

        init(_ entry: PhotoFolder.Entry) {
            (path, byteCount, modified) = (entry.path, entry.byteCount, entry.modified)
        }
    }

    /// - Parameter render: `LocalPicture.render` except in tests.
    init(
        box: CellSize, renderer: CellRenderer, render: @escaping Render,
        start: @escaping (@escaping @MainActor () async -> Void) -> Task<Void, Never>
    ) {
        self.box = box
        self.renderer = renderer
        self.render = render
        self.start = start
    }

    func state(of entry: PhotoFolder.Entry) -> State { states[Key(entry)] ?? .loading }

    /// Sets the visible photos, from top to bottom.
    func show(_ entries: [PhotoFolder.Entry]) {
        let wanted = entries.map(Key.init)
        let visible = Set(wanted)
        for (key, task) in running where !visible.contains(key) {
            task.cancel()
            running[key] = nil
        }
        if states.count > Self.capacity { states = states.filter { visible.contains($0.key) } }
        waiting = wanted.filter { states[$0] == nil && running[$0] == nil }
        startNext()
    }

    func cancel() { show([]) }

    private func startNext() {
        while running.count < Self.slotCount, !waiting.isEmpty {
            let key = waiting.removeFirst()
            let (box, renderer, render) = (box, renderer, render)
            running[key] = start { [weak self] in
                let state: State =
                    switch await render(key.path, box, renderer) {
                    case .success(let cells): .loaded(cells)
                    case .failure(let error): .unavailable(error.reason)
                    }
                guard let self, !Task.isCancelled else { return }
                running[key] = nil
                states[key] = state
                onArrival?()
                startNext()
            }
        }
    }
}

/// Pictures of files on this computer.
enum LocalPicture {
    /// Decodes a file no larger than needed and renders it, off the main actor.
    @concurrent static func render(
        _ path: String, fitting box: CellSize, _ renderer: CellRenderer
    ) async throws(PictureError) -> CellImage {
        let decoded = try await PictureWorkers.shared.decode(
            PictureFile(at: URL(fileURLWithPath: path)), scaledToFit: renderer.pixelSize(of: box))
        return await PictureQueue.previews.run {
            renderer.render(decoded.image, fitting: box)
        }
    }
}
