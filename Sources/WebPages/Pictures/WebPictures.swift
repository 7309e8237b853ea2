import CurlNetworking
import FoundationEssentials
import ByteClubPictures
import TerminalPictures
import TerminalUI
import WebText

/// The pictures of the current page: loads those near the visible lines, caches them, and computes their
/// layout.
@MainActor
final class WebPictures {
    /// The limits for untrusted pages.
    enum Limits {
        static let loadingCount = 4
        static let picturesPerPage = 200
        static let bytesPerPage = 64 << 20
        /// For decoded pictures of all pages.
        static let keptByteCount = 64 << 20
        /// For rendered pictures.
        static let keptFrameByteCount = 48 << 20
    }

    /// Identifies a rendered picture with its size in cells.
    struct FrameKey: Hashable {
        var url: URL
        var box: Size
        var terminal: PictureTerminal
    }

    struct Frame {
        var cells: ImageCells
        var graphic: Graphic?

        var byteCount: Int {
            (graphic?.bytes.count ?? 0) + cells.pixels.count * MemoryLayout<ImageCells.Pixel>.stride
        }
    }

    private let loader: WebImageLoader
    private weak var view: WebView?

    private var page: URL?
    /// The URLs of the page's pictures, by index.
    private var targets: [URL?] = []
    private var loadedCount = 0
    private var loadedByteCount = 0
    private var loading: [URL: Task<Void, Never>] = [:]
    private var failures: Set<URL> = []
    private var fullSizes: [URL: PixelSize] = [:]
    /// Least recently used first.
    private var images: [(url: URL, image: WebImage)] = []
    private var frames: [(key: FrameKey, frame: Frame)] = []
    private var drawing: Set<FrameKey> = []

    init(_ session: URLSession, for view: WebView) {
        loader = WebImageLoader(session: session)
        self.view = view
    }

    // MARK: - A page

    /// Sets another page; cancels loads for the previous one.
    func begin(_ page: WebPage?) {
        for task in loading.values { task.cancel() }
        loading = [:]
        failures = []
        (loadedCount, loadedByteCount) = (0, 0)
        self.page = page?.url
        targets =
            page.map { page in
                page.document.pictures.map { picture in
                    page.target(of: picture.address).flatMap {
                        WebImageLoader.mayLoad($0, for: page.url) ? $0 : nil
                    }
                }
            } ?? []
        if let image = page?.image, let url = targets.first ?? nil { keep(image, for: url) }
        if fullSizes.count > 4000 { fullSizes = [:] }
    }

    /// The layout of the page's pictures, as far as known.
    func metrics(cellAspect: Double, rowLimit: Int) -> WebPictureMetrics {
        var metrics = WebPictureMetrics(cellAspect: cellAspect, rowLimit: rowLimit)
        for (index, url) in targets.enumerated() {
            guard let url, !failures.contains(url) else {
                metrics.failed.insert(index)
                continue
            }
            metrics.sizes[index] = fullSizes[url].map { .init(width: $0.width, height: $0.height) }
        }
        return metrics
    }

    // MARK: - Bringing and drawing

    /// The rendered picture for a box, if available.
    func frame(of index: Int, filling box: Size, on terminal: PictureTerminal) -> Frame? {
        guard targets.indices.contains(index), let url = targets[index] else { return nil }
        let key = FrameKey(url: url, box: box, terminal: terminal)
        return frames.last { $0.key == key }?.frame
    }

    /// Loads and renders the pictures in or near these lines, nearest first.
    func update(_ layout: WebLayout, near lines: Range<Int>) {
        guard let screen = view?.application?.screen else { return }
        let page = max(1, lines.count)
        let wanted = layout.pictureLines
            .filter {
                $0.value.lowerBound < lines.upperBound + page
                    && $0.value.upperBound + page > lines.lowerBound
            }
            .sorted { left, right in
                let (a, b) = (left.value.distance(to: lines), right.value.distance(to: lines))
                return a == b ? left.key < right.key : a < b
            }
        let boxes = Dictionary(
            layout.pictures.map { ($0.index, Size(width: $0.columnCount, height: $0.rowCount)) },
            uniquingKeysWith: { first, _ in first })
        for (index, _) in wanted {
            guard targets.indices.contains(index), let url = targets[index] else { continue }
            guard let box = boxes[index] else {
                if fullSizes[url] == nil { load(url) }
                continue
            }
            let key = FrameKey(url: url, box: box, terminal: screen.pictures)
            if let known = frames.firstIndex(where: { $0.key == key }) {
                frames.append(frames.remove(at: known))
            } else if let known = images.firstIndex(where: { $0.url == url }) {
                images.append(images.remove(at: known))
                draw(images[images.count - 1].image, as: key, on: screen)
            } else {
                load(url)
            }
        }
    }

    private func load(_ url: URL) {
        guard loading[url] == nil, loading.count < Limits.loadingCount, !failures.contains(url),
            let page, let scheduler = view?.application?.scheduler
        else { return }
        guard loadedCount < Limits.picturesPerPage, loadedByteCount < Limits.bytesPerPage else {
            return fail(url)
        }
        // A picture shown before is most likely in the session's cache.
        if fullSizes[url] == nil { loadedCount += 1 }
        loading[url] = view?.startPending { [weak self, loader] in
            let result = try? await loader.load(url, for: page, timedBy: scheduler)
            guard let self, !Task.isCancelled else { return }
            loading[url] = nil
            guard let (image, byteCount) = result else { return fail(url) }
            if fullSizes[url] == nil { loadedByteCount += byteCount }
            keep(image, for: url)
            view?.picturesDidChange()
        }
    }

    private func fail(_ url: URL) {
        failures.insert(url)
        view?.picturesDidChange()
    }

    private func keep(_ image: WebImage, for url: URL) {
        fullSizes[url] = image.fullSize
        images.removeAll { $0.url == url }
        images.append((url, image))
        var byteCount = images.reduce(0) { $0 + $1.image.pixels.bytes.count }
        while byteCount > Limits.keptByteCount, images.count > 1 {
            byteCount -= images.removeFirst().image.pixels.bytes.count
        }
    }

    private func trimFrames() {
        var byteCount = frames.reduce(0) { $0 + $1.frame.byteCount }
        while byteCount > Limits.keptFrameByteCount, frames.count > 1 {
            byteCount -= frames.removeFirst().frame.byteCount
        }
    }

    private func draw(_ image: WebImage, as key: FrameKey, on screen: any Screen) {
        guard drawing.insert(key).inserted else { return }
        let renderer = PictureRenderer(screen)
        view?.startPending { [weak self] in
            let box = CellSize(columns: key.box.width, rows: key.box.height)
            let id = Graphic.makeID()
            let drawn = await PictureQueue.previews.run {
                renderer.frame(of: image.pixels, fitting: box, id: id)
            }
            guard let self else { return }
            drawing.remove(key)
            let graphic = drawn.pixels.flatMap {
                $0.bytes.isEmpty ? nil : Graphic($0, on: key.terminal)
            }
            frames.append((key, Frame(cells: ImageCells(drawn.cells), graphic: graphic)))
            trimFrames()
            view?.setNeedsDisplay()
        }
    }
}

extension Range<Int> {
    /// The number of lines between both; 0 if they overlap.
    fileprivate func distance(to other: Range<Int>) -> Int {
        Swift.max(0, lowerBound - other.upperBound, other.lowerBound - upperBound)
    }
}
