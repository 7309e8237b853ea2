import CCurl

/// Defects of the libcurl that is loaded, which may be another one than this was compiled with.
///
/// Only what cannot be avoided for all versions alike is here.
struct LibraryDefects: Hashable, Sendable {
    /// As `CURL_VERSION_BITS` has it: 0x081400 is 8.20.0.
    let version: UInt32

    static let current = LibraryDefects(version: byteclub_curl_version())

    /// 8.20 signals the end of a name look-up by a descriptor that it has the application watch and never
    /// reads, so that a level-triggered wait ends at once from then on. 8.21 reads it.
    var leavesWakeupUnread: Bool { (0x081400..<0x081500).contains(version) }

    /// Since 8.5 who decodes a body is settled when its `Content-Encoding` comes, before the callback for the
    /// head: `CURLOPT_HTTP_CONTENT_DECODING` has no effect from there on.
    var settlesCodingsEarly: Bool { version >= 0x080500 }
}
