/// What a look at the server shows of a write that was answered with a yes.
///
/// The rule of every adapter: a write is what the server shows afterwards, never what an answer says.
/// Sign-in pages of networks and broken gateways say yes, too.
enum WriteEvidence: Hashable, Sendable {
    /// The file holds the bytes that were sent.
    case stored

    /// The file is not there, or is still what it was before: nothing was stored.
    case withoutEffect

    /// The file holds bytes that are neither: somebody else wrote in between.
    case replaced

    /// The bytes of a write, or the part of them that is known.
    struct Content: Hashable, Sendable {
        var byteCount: Int64
        /// In Dropbox's form; nil while nobody has read the bytes.
        var hash: String?
    }

    /// What was there before the write, as far as it is known.
    struct Base: Hashable, Sendable {
        var revision: Revision
        var hash: String?
    }

    /// - Parameters:
    ///   - sent: The bytes of the write, with their hash.
    ///   - found: What is there now; nil for nothing.
    ///   - revision: That of what is there now.
    ///   - base: What the write was to replace; nil where nothing was.
    ///   - areRevisionsExact: Whether no two states of a file have the same revision.
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
