import CByteClubCrypto
public import FoundationEssentials

/// Incremental SHA-256.
///
/// Uses libcrypto, because hashing must keep up with a disk: a plain Swift implementation reaches a
/// fifth of its speed, and a hundredth of that in a debug build.
final class SHA256 {
    private let digest: OpaquePointer

    init() {
        digest = Self.make()
    }

    private init(copying other: SHA256) {
        digest = Self.make()
        let copied = byteclub_sha256_copy(digest, other.digest)
        precondition(copied, "SHA-256 could not be copied")
    }

    deinit {
        byteclub_sha256_free(digest)
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        let updated = byteclub_sha256_update(digest, bytes.baseAddress, bytes.count)
        precondition(updated, "SHA-256 refused its input")
    }

    /// The 32 bytes of the hash; later input starts a new one.
    func finish() -> [UInt8] {
        let result = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            if let start = buffer.baseAddress, byteclub_sha256_finish(digest, start) { count = 32 }
        }
        let restarted = byteclub_sha256_restart(digest)
        precondition(result.count == 32 && restarted, "SHA-256 could not be finished")
        return result
    }

    func copy() -> SHA256 { SHA256(copying: self) }

    private static func make() -> OpaquePointer {
        guard let digest = byteclub_sha256_start() else {
            preconditionFailure("no memory left for a SHA-256")
        }
        return digest
    }
}

/// The SHA-256 of bytes in memory: for a PKCE challenge, or a name derived from a path.
///
/// - Returns: 32 bytes.
public func sha256(of data: some DataProtocol) -> [UInt8] {
    let hash = SHA256()
    for region in data.regions {
        region.withUnsafeBytes { hash.update($0) }
    }
    return hash.finish()
}

/// Whether two secrets are equal, compared in constant time.
public func isEqualInConstantTime(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count, !a.isEmpty else { return a.count == b.count }
    return byteclub_equal_in_constant_time(a, b, a.count)
}
