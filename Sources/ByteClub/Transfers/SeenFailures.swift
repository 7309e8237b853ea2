internal import ClubLibrary
internal import ByteClubFiles
internal import FoundationEssentials

/// The failed transfers that the user has viewed, stored between runs in `failures.json` beside the
/// transfers.
///
/// The file can be lost without harm: failures are then reported once more.
struct SeenFailures: Codable, Sendable, Equatable {
    /// The retry count of the order at the failure.
    private var retryCounts: [TransferItem.ID: Int] = [:]

    func contains(_ item: TransferItem) -> Bool {
        retryCounts[item.id] == item.status.retryCount
    }

    /// - Parameter all: The existing transfers; others are removed.
    mutating func see(_ failures: [TransferItem], of all: [TransferItem]) {
        let ids = Set(all.map(\.id))
        retryCounts = retryCounts.filter { ids.contains($0.key) }
        for item in failures { retryCounts[item.id] = item.status.retryCount }
    }

    /// Adds the stored state; failures viewed since take precedence.
    mutating func merge(_ earlier: SeenFailures) {
        retryCounts.merge(earlier.retryCounts) { new, _ in new }
    }

    // MARK: - On disk

    @concurrent static func read(from folder: URL) async -> SeenFailures {
        let data = try? AtomicFile(url: file(in: folder)).read()
        return data.flatMap { try? JSONDecoder().decode(SeenFailures.self, from: $0) }
            ?? SeenFailures()
    }

    @concurrent func write(to folder: URL) async {
        guard let data = try? JSONEncoder().encode(self) else { return }
        try? AtomicFile(url: Self.file(in: folder)).write(data)
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "failures.json") }
}
