internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubPictures

/// The upload of an order: prepares the photo, and sends it under the first free name.
@MainActor final class PhotoUpload {
    private let carrier: TransferCarrier
    private let reporter: TransferReporter
    /// Where the photo is being put.
    private var target: RemotePath?
    /// The photo itself: its file exists as long as this does.
    private var photo: PreparedPhoto?

    private var order: TransferOrder { reporter.order }

    init(of carrier: TransferCarrier, reportingTo reporter: TransferReporter) {
        self.carrier = carrier
        self.reporter = reporter
    }

    func run() async throws -> RemoteFile {
        let photo = try await preparedPhoto()
        self.photo = photo
        let store = try await carrier.means.open()
        reporter.began(byteCount: photo.byteCount)
        let wanted = try RemotePath(validating: order.path)
        var (path, taken) = (wanted, Set<String>())
        while true {
            do throws(StoreError) {
                target = path
                return try await send(photo, to: path, of: store)
            } catch {
                // What a server changes it would change under each name.
                guard error.isNameTaken, taken.count < 99 else { throw error }
                // Nothing is replaced: try the next free name.
                taken.insert(path.name)
                let name = PhotoName.free(like: wanted.name) { taken.contains($0) }
                path = try (wanted.parent ?? .root).appending(name)
            }
        }
    }

    /// The server may still store a photo that was cancelled after its last byte: then it is in the club, and shown
    /// as that.
    ///
    /// - Returns: The photo in the club; nil if it is not there after a few seconds.
    func arrivedFile() async -> RemoteFile? {
        guard let path = target else { return nil }
        let (carrier, photo) = (carrier, photo)
        // This task is cancelled, and the club may not answer.
        let looking = Task { () -> RemoteFile? in
            for pause in [0, 2, 4] as [Int] {
                try? await carrier.means.clock.sleep(.seconds(pause))
                guard !Task.isCancelled, let store = try? await carrier.means.open(),
                    let file = try? await store.metadata(of: path)
                else { continue }
                return await photo?.isContent(of: file, isAssumed: true) == true ? file : nil
            }
            return nil
        }
        let limit = Task {
            try? await carrier.means.clock.sleep(.seconds(8))
            looking.cancel()
        }
        defer { limit.cancel() }
        return await looking.value
    }

    /// Sends the photo. The windows of this computer are told first: the club may announce the photo before
    /// confirming it.
    private func send(
        _ photo: PreparedPhoto, to path: RemotePath, of store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        guard let changes = carrier.means.changes else {
            return try await sendUnannounced(photo, to: path, of: store)
        }
        return try await changes.sending(fileAt: photo.url, to: path) { () throws(StoreError) in
            try await sendUnannounced(photo, to: path, of: store)
        }
    }

    private func sendUnannounced(
        _ photo: PreparedPhoto, to path: RemotePath, of store: any RemoteStore
    ) async throws(StoreError) -> RemoteFile {
        let record = carrier.journal.uploadRecord(of: order.id)
        return try await TransferRun.run({ [self] delegate in
            carrier.begun(
                store.upload(
                    fileAt: photo.url, to: path, mode: .add, record: record, delegate: delegate),
                of: order)
        }) { [reporter] in reporter.didMove($0, of: $1) }
    }

    // MARK: - The photo

    /// The photo of an earlier attempt, or a new one.
    private func preparedPhoto() async throws(PictureError) -> PreparedPhoto {
        let source = await Self.state(of: order.file)
        if let source, let photo = carrier.prepared.photo(of: order.id, from: source) {
            return photo
        }
        reporter.beganPreparing()
        let photo = try await prepare()
        // A file that changes meanwhile is read again.
        if let source { carrier.prepared.keep(photo, of: order.id, from: source) }
        return photo
    }

    @concurrent private static func state(of file: String) async -> LocalFileState? {
        LocalFileState(at: URL(filePath: file))
    }

    private func prepare() async throws(PictureError) -> PreparedPhoto {
        let (fractions, continuation) = AsyncStream.makeStream(
            of: Double.self, bufferingPolicy: .bufferingNewest(1))
        let reporting = Task { [reporter] in
            for await fraction in fractions {
                guard reporter.status.state == .preparing else { return }
                reporter.didPrepare(fraction)
            }
        }
        defer {
            continuation.finish()
            reporting.cancel()
        }
        return try await carrier.means.workers.prepare(
            URL(filePath: order.file), as: order.preparation
        ) { continuation.yield($0) }
    }
}
