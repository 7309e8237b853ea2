/// What the server shows of a write that it reported as successful.
///
/// The rule for every adapter: a write is what the server shows afterwards, never what a response
/// says. Network sign-in pages and broken gateways also report success.
enum WriteEvidence: Hashable, Sendable {
    /// The file holds the bytes that were sent.
    case stored

    /// The file does not exist, or is unchanged: nothing was stored.
    case withoutEffect

    /// The file holds other bytes: someone else wrote in between.
    case replaced

    /// The bytes of a write, as far as they are known.
    struct Content: Hashable, Sendable {
        var byteCount: Int64
        /// In Dropbox's form; nil before the bytes are read.
        var hash: String?
    }

    /// The state before the write, as far as known.
    struct Base: Hashable, Sendable {
        var revision: Revision
        var hash: String?
    }

    /// - Parameters:
    ///   - sent: The bytes of the write, with their hash.
    ///   - found: The current file; nil if the file does not exist.
    ///   - revision: Its revision.
    ///   - base: What the write was to replace; nil if nothing.
    ///   - areRevisionsExact: Whether no two states of a file share a revision.
    init(
        sent: Content, found: Content?, revision: Revision?, base: Base?,
        areRevisionsExact: Bool = true
    ) {
        guard let found else {
            self = .withoutEffect
            return
        }
        if found.byteCount == sent.byteCount, let hash = found.hash, hash == sent.hash {
            self = .stored
        } else if let base, base.revision == revision,
            areRevisionsExact || found.hash == nil || found.hash == base.hash
        {
            self = .withoutEffect
        } else {
            self = .replaced
        }
    }
}
