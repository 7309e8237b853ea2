internal import ClubLibrary
internal import Files
internal import FoundationEssentials

/// The failed transfers that the person has looked at, over restarts: `failures.json` beside the transfers.
///
/// A file that can be lost without harm: then they are told once more.
struct SeenFailures: Codable, Sendable, Equatable {
    /// By which of the order's retries it was.
    private var retryCounts: [TransferItem.ID: Int] = [:]

    func contains(_ item: TransferItem) -> Bool {
        retryCounts[item.id] == item.status.retryCount
    }

    /// - Parameter all: The transfers there are; what is known of others is forgotten.
    mutating func see(_ failures: [TransferItem], of all: [TransferItem]) {
        let ids = Set(all.map(\.id))
        retryCounts = retryCounts.filter { ids.contains($0.key) }
        for item in failures { retryCounts[item.id] = item.status.retryCount }
    }

    /// Adds what an earlier run has left; what was seen since counts.
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
