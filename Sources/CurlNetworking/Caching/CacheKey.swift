import FoundationEssentials

/// The key of stored responses: the URL without its fragment.
struct CacheKey: Hashable, Sendable {
    let text: String

    init?(_ url: URL?) {
        guard let url else { return nil }
        let text = url.absoluteString
        self.text = text.firstIndex(of: "#").map { String(text[..<$0]) } ?? text
    }

    /// Returns the name of an entry's file: sixteen hexadecimal digits for the URL, sixteen for the variant.
    ///
    /// Names may collide; the head in the file identifies the entry.
    func fileName(_ variant: StoredHead.Variant) -> String {
        var writer = CacheFileWriter()
        writer.write(variant.fields.map { ($0.name, $0.value) })
        return fileNamePrefix + Checksum.of(writer.bytes).hexadecimal
    }

    var fileNamePrefix: String { Checksum.of(text.utf8).hexadecimal + "-" }

    /// Returns the part of a file name that stands for the URL.
    static func prefix(of fileName: String) -> String {
        String(fileName.prefix(17))
    }

    private static let fileNameByteCount = 33

    /// Whether a file in the folder may belong to the cache.
    static func isFileName(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return bytes.count == fileNameByteCount
            && bytes.enumerated().allSatisfy { index, byte in
                index == 16
                    ? byte == UInt8(ascii: "-")
                    : byte.isASCIIDigit || (0x61...0x66).contains(byte)
            }
    }
}
