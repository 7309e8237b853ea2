import FoundationEssentials

/// The envelope of the library's files and blobs, by which damaged, truncated or foreign data is detected
/// before it is parsed.
///
/// | bytes | |
/// |---|---|
/// | 4 | `CNet` |
/// | 4 | the kind |
/// | 2 | the version, big-endian |
/// | 4 | the length of the payload, big-endian |
/// | n | the payload |
/// | 32 | SHA-256 of everything before |
///
/// The hash detects damage, not malice: the payload has to be validated like untrusted data.
enum ChecksummedRecord {
    /// The kind of the payload: four letters.
    enum Kind: String, Sendable {
        case credentials = "cred"
        case download = "down"
        case upload = "uplo"
        case backgroundTask = "task"
    }

    enum CorruptionError: Error, Equatable {
        case foreign
        case wrongKind
        case unknownVersion(Int)
        case cut
        case altered

        var text: String {
            switch self {
            case .foreign: "it was not made by CurlNetworking"
            case .wrongKind: "it was made for something else"
            case .unknownVersion(let version): "its version \(version) is not known"
            case .cut: "its length is wrong"
            case .altered: "its checksum is wrong"
            }
        }
    }

    static let version = 1
    private static let headByteCount = 14
    private static let hashByteCount = 32

    static func seal(_ payload: Data, as kind: Kind) throws -> Data {
        var data = Data("CNet\(kind.rawValue)".utf8)
        data.append(bigEndian: UInt64(version), byteCount: 2)
        data.append(bigEndian: UInt64(payload.count), byteCount: 4)
        data.append(payload)
        guard let hash = DigestAlgorithm.sha256.hash(data) else {
            throw URLError(.unknown, underlyingText: "OpenSSL has no SHA-256")
        }
        data.append(contentsOf: hash)
        return data
    }

    static func open(_ data: Data, as kind: Kind) throws(CorruptionError) -> Data {
        let bytes = Array(data.prefix(headByteCount))
        guard bytes.count == headByteCount, bytes.starts(with: "CNet".utf8) else { throw .foreign }
        guard bytes[4..<8].elementsEqual(kind.rawValue.utf8) else { throw .wrongKind }
        let found = Int(bytes[8]) << 8 | Int(bytes[9])
        guard found == version else { throw .unknownVersion(found) }
        let length = bytes[10..<14].reduce(0) { $0 << 8 | Int($1) }
        guard data.count == headByteCount + length + hashByteCount else { throw .cut }
        let body = data.dropLast(hashByteCount)
        guard let hash = DigestAlgorithm.sha256.hash(body),
            hash.elementsEqual(data.suffix(hashByteCount))
        else { throw .altered }
        return Data(body.dropFirst(headByteCount))
    }
}

extension Data {
    fileprivate mutating func append(bigEndian number: UInt64, byteCount: Int) {
        for place in (0..<byteCount).reversed() {
            append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place))))
        }
    }
}
