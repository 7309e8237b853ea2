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

    /// From 8.10 to 8.14 a transfer that is paused in one direction only is run at once, and reads from its
    /// socket without a look at which one: each call that pauses receiving brings another piece.
    var readsWhilePaused: Bool { (0x080A00..<0x080F00).contains(version) }

    /// Before 8.20 the reset of a cancelled HTTP/2 stream stays in a buffer until something else is sent on its
    /// connection: the server would go on with the answer.
    var leavesResetUnsent: Bool { version < 0x081400 }

    /// Since 8.8 `CURLINFO_REQUEST_SIZE` counts the body, too. Before it was the head.
    var countsBodyInRequest: Bool { version >= 0x080800 }

    /// 8.7 does not count what it sends of a request: `CURLINFO_REQUEST_SIZE` stays 0.
    var countsNoRequest: Bool { (0x080700..<0x080800).contains(version) }

    /// Before 8.1 a handle that is used again remembers the last field of its last answer, which is freed by
    /// then, and appends to it when the next answer begins with a folded line: a server could damage the heap.
    var keepsFreedField: Bool { version < 0x080100 }
}
