public import FoundationEssentials

/// Dropbox's hash of a file's content: the SHA-256 of the concatenated SHA-256 of each 4 MiB block.
///
/// See <https://www.dropbox.com/developers/reference/content-hash>.
public struct ContentHash: Hashable, Sendable {
    /// 64 hexadecimal digits, lower case.
    public let hexadecimal: String

    fileprivate init(digest: [UInt8]) {
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        hexadecimal = String(decoding: text, as: UTF8.self)
    }

    /// Hashes bytes in memory; use a ``ContentHasher`` for a stream.
    public init(of data: some DataProtocol) {
        let hasher = ContentHasher()
        for region in data.regions {
            region.withUnsafeBytes { hasher.update($0) }
        }
        self = hasher.finish()
    }
}

extension ContentHash: LosslessStringConvertible {
    /// Accepts 64 hexadecimal digits of either case.
    public init?(_ text: String) {
        guard text.utf8.count == 64,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
            )
        else { return nil }
        hexadecimal = text.lowercased()
    }

    public var description: String { hexadecimal }
}

extension ContentHash: Codable {
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Self(text) else {
            throw ArgumentError(
                field: ArgumentError.name(of: decoder.codingPath),
                problem: "'\(text)' is not a content hash")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hexadecimal)
    }
}

/// Computes a ``ContentHash`` incrementally from pieces of any size.
public final class ContentHasher {
    /// The length of all blocks but the last.
    public static let blockByteCount = 4 << 20

    private let whole: SHA256
    private let block: SHA256
    private var blockCount = 0

    public init() {
        whole = SHA256()
        block = SHA256()
    }

    private init(copying other: ContentHasher) {
        whole = other.whole.copy()
        block = other.block.copy()
        blockCount = other.blockCount
    }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.blockByteCount - blockCount)
            block.update(UnsafeRawBufferPointer(rebasing: piece))
            blockCount += piece.count
            rest = rest.dropFirst(piece.count)
            if blockCount == Self.blockByteCount { closeBlock() }
        }
    }

    public func update(_ data: some ContiguousBytes) {
        data.withUnsafeBytes { update($0) }
    }

    /// The hash of all bytes so far; resets the hasher.
    public func finish() -> ContentHash {
        if blockCount > 0 { closeBlock() }
        return ContentHash(digest: whole.finish())
    }

    /// A second hasher with the same state.
    public func copy() -> ContentHasher { ContentHasher(copying: self) }

    private func closeBlock() {
        let digest = block.finish()
        digest.withUnsafeBytes { whole.update($0) }
        blockCount = 0
    }
}
