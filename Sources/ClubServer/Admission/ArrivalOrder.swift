/// Connections in order of arrival, so that the oldest is found without scanning all.
///
/// Removed ones are skipped, each once.
struct ArrivalOrder {
    private var ids: [AdmissionControl.ID] = []
    private var head = 0

    mutating func append(_ id: AdmissionControl.ID) { ids.append(id) }

    var count: Int { ids.count - head }

    /// The oldest remaining one.
    ///
    /// - Parameter isThere: Must stay false once it was.
    mutating func first(
        where isThere: (AdmissionControl.ID) -> Bool
    ) -> AdmissionControl.ID? {
        while head < ids.count, !isThere(ids[head]) { head += 1 }
        if head > 64, head * 2 > ids.count {
            ids.removeFirst(head)
            head = 0
        }
        return head < ids.count ? ids[head] : nil
    }

    /// Drops removed ones when they are the majority.
    mutating func compact(live: Int, where isThere: (AdmissionControl.ID) -> Bool) {
        guard count > 64 + live * 2 else { return }
        ids = ids[head...].filter(isThere)
        head = 0
    }
}
