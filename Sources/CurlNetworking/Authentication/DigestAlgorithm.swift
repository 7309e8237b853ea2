import CByteClubTLS
import FoundationEssentials

/// A hash algorithm of HTTP Digest (RFC 7616 §6.1), strongest last.
enum DigestAlgorithm: Int, CaseIterable, Comparable, Sendable {
    case md5
    case sha256
    case sha512_256

    /// The name in header fields.
    var name: String {
        switch self {
        case .md5: "MD5"
        case .sha256: "SHA-256"
        case .sha512_256: "SHA-512-256"
        }
    }

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Returns nil if the installed OpenSSL lacks the algorithm (MD5 in FIPS mode).
    func hash(_ bytes: some ContiguousBytes) -> [UInt8]? {
        guard var stream = DigestStream(self) else { return nil }
        bytes.withUnsafeBytes { stream.append($0) }
        return stream.finish()
    }

    /// Returns the hash of a text's UTF-8 in hexadecimal: H() of the RFC.
    func hexHash(_ text: String) -> String? {
        hash(Array(text.utf8))?.hex
    }
}

/// An incremental hash, for bodies that are too large for memory.
struct DigestStream: ~Copyable {
    private let raw: OpaquePointer

    init?(_ algorithm: DigestAlgorithm) {
        let name =
            switch algorithm {
            case .md5: "MD5"
            case .sha256: "SHA256"
            case .sha512_256: "SHA512-256"
            }
        guard let raw = byteclub_hash_start(name) else { return nil }
        self.raw = raw
    }

    deinit { byteclub_hash_free(raw) }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        _ = byteclub_hash_update(raw, bytes.baseAddress, bytes.count)
    }

    consuming func finish() -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = buffer.baseAddress.map { byteclub_hash_finish(raw, $0) } ?? 0
        }
        return bytes.isEmpty ? nil : bytes
    }
}

extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits per byte.
    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
