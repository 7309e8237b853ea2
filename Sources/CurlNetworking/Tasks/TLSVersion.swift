/// A version of TLS, by its number in the protocol.
///
/// The names of this type and of ``tls_ciphersuite_t`` are those of Apple's Security framework.
public enum tls_protocol_version_t: UInt16, Hashable, Sendable, CaseIterable {
    case TLSv10 = 0x0301
    case TLSv11 = 0x0302
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
    /// DTLS, for datagrams. HTTP over TCP does not use it.
    case DTLSv10 = 0xFEFF
    /// DTLS, for datagrams. HTTP over TCP does not use it.
    case DTLSv12 = 0xFEFD
}

extension tls_protocol_version_t: Comparable {
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// A TLS cipher suite, by its number in the IANA registry.
public struct tls_ciphersuite_t: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let AES_128_GCM_SHA256 = Self(rawValue: 0x1301)
    public static let AES_256_GCM_SHA384 = Self(rawValue: 0x1302)
    public static let CHACHA20_POLY1305_SHA256 = Self(rawValue: 0x1303)
    public static let ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 = Self(rawValue: 0xC02B)
    public static let ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 = Self(rawValue: 0xC02C)
    public static let ECDHE_RSA_WITH_AES_128_GCM_SHA256 = Self(rawValue: 0xC02F)
    public static let ECDHE_RSA_WITH_AES_256_GCM_SHA384 = Self(rawValue: 0xC030)
    public static let ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 = Self(rawValue: 0xCCA8)
    public static let ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 = Self(rawValue: 0xCCA9)
    public static let RSA_WITH_AES_128_GCM_SHA256 = Self(rawValue: 0x009C)
    public static let RSA_WITH_AES_256_GCM_SHA384 = Self(rawValue: 0x009D)
}
