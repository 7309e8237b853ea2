/// The room that pictures take between lines of text.
public struct WebPictureMetrics: Hashable, Sendable {
    /// A width and a height in pixels.
    public struct Size: Hashable, Sendable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// Room in cells.
    struct Box {
        var columns: Int
        var rows: Int
    }

    /// The height of a row of cells in page pixels: the usual line height in a browser.
    public static let rowPixels = 18.0
    /// Smaller ones are replaced by words: nothing would be recognizable.
    private static let leastLength = Double(HTMLPicture.leastLength)

    /// A cell's width divided by its height.
    public var cellAspect: Double
    /// The maximum number of rows of a picture.
    public var rowLimit: Int
    /// The sizes of loaded pictures by index.
    public var sizes: [Int: Size] = [:]
    /// Pictures that have failed, which are replaced by words.
    public var failed: Set<Int> = []

    public init(cellAspect: Double = 0.5, rowLimit: Int) {
        self.cellAspect = cellAspect
        self.rowLimit = rowLimit
    }

    /// The room for a picture; nil if it is unknown, or the picture is replaced by words.
    func box(for picture: WebPicture, at index: Int, width: Int) -> Box? {
        guard !failed.contains(index), let size = size(of: picture, at: index),
            size.width >= Self.leastLength, size.height >= Self.leastLength
        else { return nil }
        let columns = size.width / (Self.rowPixels * cellAspect)
        let rows = size.height / Self.rowPixels
        let scale = min(1, Double(max(1, width)) / columns, Double(max(1, rowLimit)) / rows)
        return Box(
            columns: max(1, min(width, Int((columns * scale).rounded()))),
            rows: max(1, min(rowLimit, Int((rows * scale).rounded()))))
    }

    /// Whether it may still be loaded, in any size.
    func awaits(_ picture: WebPicture, at index: Int) -> Bool {
        !failed.contains(index) && size(of: picture, at: index) == nil
    }

    /// The specified size, completed by the picture's own.
    private func size(
        of picture: WebPicture, at index: Int
    ) -> (width: Double, height: Double)? {
        let own = sizes[index].map { (width: Double($0.width), height: Double($0.height)) }
        switch (picture.width.map(Double.init), picture.height.map(Double.init), own) {
        case (let width?, let height?, _): return (width, height)
        case (let width?, nil, let own?): return (width, own.height * width / max(1, own.width))
        case (nil, let height?, let own?): return (own.width * height / max(1, own.height), height)
        case (nil, nil, let own?): return own
        case (_, _, nil): return nil
        }
    }
}

/// The pictures of a page with their room; empty if they are replaced by words.
struct PictureRoom {
    var pictures: [WebPicture] = []
    var metrics: WebPictureMetrics?

    func box(for index: Int, width: Int) -> WebPictureMetrics.Box? {
        guard pictures.indices.contains(index) else { return nil }
        return metrics?.box(for: pictures[index], at: index, width: width)
    }

    func awaits(_ index: Int) -> Bool {
        guard pictures.indices.contains(index), let metrics else { return false }
        return metrics.awaits(pictures[index], at: index)
    }
}
