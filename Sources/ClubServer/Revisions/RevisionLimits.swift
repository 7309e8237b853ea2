/// The limits on kept revisions.
///
/// Notes are small and their text must not be lost: they have space of their own that photos cannot use.
/// Photos are large and hardly ever change: only those removed or replaced recently are kept. What was just deleted
/// stays, however much it is: it was renamed, and takes no more space than before.
struct RevisionLimits: Sendable {
    /// The limits for one kind of file.
    struct Share: Sendable {
        /// In total, on disk.
        var byteCount: Int64
        var seconds: Int64
    }

    /// Files of up to this size are notes.
    var noteByteLimit: Int64 = 1 << 20
    /// 180 days: the longest that Dropbox offers.
    var notes = Share(byteCount: 256 << 20, seconds: 180 * 86_400)
    /// 30 days: what Dropbox gives every account.
    var larger = Share(byteCount: 1 << 30, seconds: 30 * 86_400)
    /// How long deleted files are kept whatever their share, unless a write needs their room: a member who has deleted too
    /// much sees it by then.
    var sparedSeconds: Int64 = 3600
    /// Per path: the maximum in one response of `list_revisions`.
    var countPerPath = 100
    /// In total: their index in memory is some 10 MiB.
    var count = 20_000

    func isNote(_ byteCount: Int64) -> Bool { byteCount <= noteByteLimit }

    /// A little space is always there for notes: on a full disk, too, what was just deleted can be brought back.
    static let leastNoteByteCount: Int64 = 1 << 20

    /// The limits for a disk with this much free space: each share is at most a quarter of the space
    /// that would be free without it, so that old revisions never crowd out a new note.
    func fitting(freeByteCount: Int64, keptByteCount: Int64) -> RevisionLimits {
        var limits = self
        let quarter = (freeByteCount + keptByteCount) / 4
        limits.notes.byteCount = min(notes.byteCount, max(quarter, Self.leastNoteByteCount))
        limits.larger.byteCount = min(larger.byteCount, quarter)
        return limits
    }
}
