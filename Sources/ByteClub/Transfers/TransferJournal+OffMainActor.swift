internal import ClubLibrary

/// The journal from the screens: the disk is not waited for on the main actor.
extension TransferJournal {
    @concurrent nonisolated func prepareFolder() async {
        try? makeFolder()
    }

    @concurrent nonisolated func readItems() async -> [TransferItem] { items() }

    @concurrent nonisolated func readItems(_ ids: Set<String>) async -> [TransferItem] {
        ids.compactMap { item($0) }
    }

    @concurrent nonisolated func clearAll(_ items: [TransferItem]) async {
        for item in items { clear(item) }
    }

    /// - Returns: Why they could not be written.
    @concurrent nonisolated func writeAll(_ orders: [TransferOrder]) async -> String? {
        do throws(Failure) {
            try write(orders)
            return nil
        } catch {
            return error.description
        }
    }
}
