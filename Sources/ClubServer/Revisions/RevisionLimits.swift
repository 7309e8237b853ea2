/// How much of the past a club keeps.
///
/// Notes are small and their words are what must not be lost: they have room of their own, into which no
/// photo presses. Photos are large and hardly ever change: what is kept of them is what was removed or
/// replaced by mistake lately.
struct RevisionLimits: Sendable {
    /// What one kind of file may take.
    struct Share: Sendable {
        /// On the disk, together.
        var byteCount: Int64
        var seconds: Int64
    }

    /// Files of up to this many bytes are notes.
    var noteByteLimit: Int64 = 1 << 20
    /// 180 days: the longest that Dropbox keeps for a member.
    var notes = Share(byteCount: 256 << 20, seconds: 180 * 86_400)
    /// 30 days: what Dropbox keeps for everybody.
    var larger = Share(byteCount: 1 << 30, seconds: 30 * 86_400)
    /// Of one path: as many as one answer of `list_revisions` may hold.
    var countPerPath = 100
    /// Of all: what the index of them in memory may come to (some 10 MiB).
    var count = 20_000

    func isNote(_ byteCount: Int64) -> Bool { byteCount <= noteByteLimit }

    /// The limits on a disk with that much room: neither share takes more than a quarter of what would
    /// be free without it, so that the past never crowds out a note that is saved now.
    func fitting(freeByteCount: Int64, keptByteCount: Int64) -> RevisionLimits {
        var limits = self
        let quarter = (freeByteCount + keptByteCount) / 4
        limits.notes.byteCount = min(notes.byteCount, quarter)
        limits.larger.byteCount = min(larger.byteCount, quarter)
        return limits
    }
}
