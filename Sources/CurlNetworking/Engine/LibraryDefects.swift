import CByteClubCurl

/// Defects of the loaded libcurl, which may differ from the one at compile time.
///
/// Only defects that need different behavior per version are listed.
struct LibraryDefects: Hashable, Sendable {
    /// The version as in `CURL_VERSION_BITS`: 0x081400 is 8.20.0.
    let version: UInt32

    static let current = LibraryDefects(version: byteclub_curl_version())

    /// 8.20 signals the end of a name lookup by a descriptor that it makes the application watch and never
    /// reads, so that a level-triggered wait returns immediately from then on. 8.21 reads it.
    var leavesWakeupUnread: Bool { (0x081400..<0x081500).contains(version) }

    /// Since 8.5, libcurl chooses a body's decoder when it receives `Content-Encoding`, before the header
    /// callback: `CURLOPT_HTTP_CONTENT_DECODING` has no effect afterwards.
    var choosesDecoderEarly: Bool { version >= 0x080500 }

    /// From 8.10 to 8.14, a transfer that is paused in one direction only runs again at once and reads its
    /// socket without checking readiness: each call that pauses receiving delivers another piece.
    var readsWhilePaused: Bool { (0x080A00..<0x080F00).contains(version) }

    /// Before 8.20, the reset of a cancelled HTTP/2 stream stays in a buffer until something else is sent on
    /// the connection; the server continues to send the response.
    var leavesResetUnsent: Bool { version < 0x081400 }

    /// Since 8.8, `CURLINFO_REQUEST_SIZE` includes the body; before, only the head.
    var countsBodyInRequest: Bool { version >= 0x080800 }

    /// 8.7 does not count what it sends of a request: `CURLINFO_REQUEST_SIZE` stays 0.
    var countsNoRequest: Bool { (0x080700..<0x080800).contains(version) }

    /// Before 8.1, a reused handle remembers the last field of its previous response, which is already freed,
    /// and appends to it if the next response begins with a folded line: a server could corrupt the heap.
    var keepsFreedField: Bool { version < 0x080100 }

    /// Before 8.20, a certificate whose signature is wrong is reported as a handshake that failed.
    var hidesWrongSignature: Bool { version < 0x081400 }

    /// Before 8.6, there is no code of its own for a line of a head that is too long: it is a lack of memory.
    var reportsLongLineAsNoMemory: Bool { version < 0x080600 }

    /// 8.21.0 cannot ask a plain proxy for an address in brackets: the request fails as if for lack of memory.
    var cannotNameAddressToProxy: Bool { version == 0x081500 }

    /// 8.5 drops what it has read of a paused body when the connection ends before the rest has come. Seen with 8.5.0, and
    /// not with 8.14.1; the versions between were not tried.
    var dropsPausedBody: Bool { (0x080500..<0x080600).contains(version) }
}
