public import FoundationEssentials

/// The size of a whole picture, as a comment in its thumbnail: so it is kept wherever the thumbnail is.
///
/// A JPEG comment directly behind the start of the image: `FF D8`, `FF FE`, a length, and
/// `full-size 16384x8192`. A thumbnail has no such comment when its maker did not know the size.
public struct FullSizeComment: Hashable, Sendable {
    /// In pixels, as the picture is shown.
    public let width: Int
    public let height: Int

    /// Nil for what no picture has: a server says this.
    public init?(width: Int, height: Int) {
        guard Self.sides.contains(width), Self.sides.contains(height) else { return nil }
        self.width = width
        self.height = height
    }

    /// Reads the comment of a thumbnail; nil without one.
    public init?(of thumbnail: Data) {
        let head = [UInt8](thumbnail.prefix(64))
        guard head.count > 6, head.starts(with: Self.marker) else { return nil }
        // The length counts itself.
        let end = 4 + Int(head[4]) << 8 + Int(head[5])
        guard end > 6, end <= head.count else { return nil }
        let words = String(decoding: head[6..<end], as: UTF8.self).split(separator: " ")
        guard words.count == 2, words[0] == Self.keyword else { return nil }
        let numbers = words[1].split(separator: "x").map { Int($0) }
        guard numbers.count == 2, let width = numbers[0], let height = numbers[1] else {
            return nil
        }
        self.init(width: width, height: height)
    }

    /// The thumbnail with the comment; unchanged when it is not a JPEG or has one already.
    public func added(to thumbnail: Data) -> Data {
        guard thumbnail.isJPEG, Self(of: thumbnail) == nil else { return thumbnail }
        let text = Array("\(Self.keyword) \(width)x\(height)".utf8)
        return Data(Self.marker + [0, UInt8(text.count + 2)] + text) + thumbnail.dropFirst(2)
    }

    private static let marker: [UInt8] = [0xFF, 0xD8, 0xFF, 0xFE]
    private static let keyword = "full-size"
    private static let sides = 1...1 << 20
}
