internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Glibc

/// The download of an order.
@MainActor struct PhotoDownload {
    let carrier: TransferCarrier
    let reporter: TransferReporter

    private var order: TransferOrder { reporter.order }

    init(of carrier: TransferCarrier, reportingTo reporter: TransferReporter) {
        self.carrier = carrier
        self.reporter = reporter
    }

    func run() async throws -> RemoteFile {
        let path = try RemotePath(validating: order.path)
        let store = try await carrier.means.open()
        if !order.replaces, let there = ExistingFile(at: order.file) {
            // An earlier attempt may have fetched it and then been killed.
            let file = try await store.metadata(of: path)
            guard there.isDownload(of: file) else {
                throw StoreError(
                    .fileUnwritable, during: .download, at: path,
                    underlying: DestinationProblem.isThere)
            }
            return file
        }
        reporter.began()
        return try await TransferRun.run({ delegate in
            carrier.begun(
                store.download(
                    path, to: URL(filePath: order.file), keepsPartialFile: true,
                    replaces: order.replaces, delegate: delegate),
                of: order)
        }) { [reporter] in reporter.didMove($0, of: $1) }
    }
}

/// What is at a download's destination already.
private struct ExistingFile {
    private let seconds: Int
    private let byteCount: Int64

    /// Nil if nothing is there.
    init?(at path: String) {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        (seconds, byteCount) = (facts.st_mtim.tv_sec, Int64(facts.st_size))
    }

    /// A downloaded file has the store's modification date.
    func isDownload(of file: RemoteFile) -> Bool {
        byteCount == file.byteCount
            && Double(seconds) == file.modified.timeIntervalSince1970.rounded(.towardZero)
    }
}
