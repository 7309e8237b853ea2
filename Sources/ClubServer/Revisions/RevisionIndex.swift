import DropboxAPI

/// An index of the kept revisions, by revision, path and file. A value without disk access.
struct RevisionIndex: Sendable {
    private(set) var revisions: [String: KeptRevision] = [:]
    private(set) var lastOrder: UInt64 = 0
    private var byKey: [String: [String]] = [:]
    private var byID: [String: [String]] = [:]
    private var noteByteCount: Int64 = 0
    private var largerByteCount: Int64 = 0
    /// When the first of them expires, in seconds since 1970.
    private var nextExpiry = Int64.max
    let limits: RevisionLimits

    init(limits: RevisionLimits = RevisionLimits()) { self.limits = limits }

    subscript(revision: String) -> KeptRevision? { revisions[revision] }

    var byteCount: Int64 { noteByteCount + largerByteCount }

    /// The kept revisions of a path, latest first.
    func history(key: String) -> [KeptRevision] { sorted(byKey[key]) }

    /// The kept revisions of a file, at any path; latest first.
    func history(id: String) -> [KeptRevision] { sorted(byID[id]) }

    private func sorted(_ names: [String]?) -> [KeptRevision] {
        (names ?? []).compactMap { revisions[$0] }.sorted { $0.order > $1.order }
    }

    // MARK: - Changing

    /// Adds a revision as the latest, or with its existing order.
    ///
    /// - Returns: The revision with its order.
    @discardableResult
    mutating func add(_ kept: KeptRevision) -> KeptRevision {
        var kept = kept
        if kept.order == 0 { kept.order = lastOrder + 1 }
        lastOrder = max(lastOrder, kept.order)
        remove(kept.revision)
        revisions[kept.revision] = kept
        byKey[kept.key, default: []].append(kept.revision)
        byID[kept.id, default: []].append(kept.revision)
        count(kept.byteCount, 1)
        nextExpiry = min(nextExpiry, expiry(of: kept))
        return kept
    }

    @discardableResult
    mutating func remove(_ revision: String) -> KeptRevision? {
        guard let kept = revisions.removeValue(forKey: revision) else { return nil }
        Self.take(revision, from: &byKey, at: kept.key)
        Self.take(revision, from: &byID, at: kept.id)
        count(kept.byteCount, -1)
        return kept
    }

    private mutating func count(_ byteCount: Int64, _ sign: Int64) {
        if limits.isNote(byteCount) {
            noteByteCount += sign * byteCount
        } else {
            largerByteCount += sign * byteCount
        }
    }

    private static func take(
        _ revision: String, from lists: inout [String: [String]], at name: String
    ) {
        lists[name]?.removeAll { $0 == revision }
        if lists[name]?.isEmpty == true { lists[name] = nil }
    }

    // MARK: - Keeping within limits

    /// The revisions to remove after one was added at `key`, oldest first.
    ///
    /// If a total limit is exceeded, an eighth more than necessary is removed, so that full scans
    /// are rare. What was just deleted is not removed for its size.
    func excess(at key: String?, limits: RevisionLimits, now: Int64) -> [KeptRevision] {
        var result: [KeptRevision] = []
        if let key {
            result += history(key: key).dropFirst(limits.countPerPath).reversed()
        }
        let isOver =
            revisions.count > limits.count || noteByteCount > limits.notes.byteCount
            || largerByteCount > limits.larger.byteCount
            || nextExpiry < now
        guard isOver else { return result }
        var count = revisions.count
        var notes = noteByteCount
        var larger = largerByteCount
        let (isOverCount, isOverNotes, isOverLarger) = (
            count > limits.count, notes > limits.notes.byteCount,
            larger > limits.larger.byteCount
        )
        for kept in revisions.values.sorted(by: { $0.order < $1.order }) {
            let isNote = limits.isNote(kept.byteCount)
            let share = isNote ? limits.notes : limits.larger
            let isOld = expiry(of: kept) < now
            let isOverShare =
                isNote
                ? isOverNotes && notes > share.byteCount / 8 * 7
                : isOverLarger && larger > share.byteCount / 8 * 7
            let isTooMuch = isOverShare && !isSpared(kept, at: now)
            guard isOld || isTooMuch || isOverCount && count > limits.count / 8 * 7 else {
                continue
            }
            result.append(kept)
            count -= 1
            if isNote { notes -= kept.byteCount } else { larger -= kept.byteCount }
        }
        return result
    }

    /// Whether a file was deleted so recently that only a write that needs its room may remove it.
    func isSpared(_ kept: KeptRevision, at now: Int64) -> Bool {
        kept.ending == .deleted && now - kept.kept.secondsSince1970 < limits.sparedSeconds
    }

    /// The revisions to remove for a write that needs more room, oldest first: photos, then notes beyond their
    /// share. Empty if all of them are not enough: a write that fails anyway costs none.
    ///
    /// - Parameter isExempt: Whether a revision stays in any case.
    func removable(
        for byteCount: Int64, limits: RevisionLimits, isExempt: (KeptRevision) -> Bool
    ) -> [KeptRevision] {
        guard byteCount > 0 else { return [] }
        let oldest = revisions.values.sorted { $0.order < $1.order }
        let photos = oldest.filter { !limits.isNote($0.byteCount) }
        let notes = oldest.filter { limits.isNote($0.byteCount) }
        var notesLeft = noteByteCount
        var missing = byteCount
        var result: [KeptRevision] = []
        for kept in photos + notes where missing > 0 && !isExempt(kept) {
            if limits.isNote(kept.byteCount) {
                guard notesLeft > limits.notes.byteCount else { break }
                notesLeft -= kept.byteCount
            }
            missing -= kept.byteCount
            result.append(kept)
        }
        return missing > 0 ? [] : result
    }

    /// Schedules the next scan for the next expiry. An hour's delay does not matter: they are removed
    /// in batches.
    mutating func scheduleExpiry() {
        nextExpiry = revisions.values.map(expiry).min().map { $0 + 3600 } ?? .max
    }

    private func expiry(of kept: KeptRevision) -> Int64 {
        let share = limits.isNote(kept.byteCount) ? limits.notes : limits.larger
        return kept.kept.secondsSince1970 + share.seconds
    }
}
