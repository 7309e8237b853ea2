import FoundationEssentials
import Synchronization

/// Uploads a large file to a temporary name in parts, so that another run of the program can resume
/// it.
///
/// For servers that support `PUT` with `Content-Range`. The next attempt overwrites an interrupted
/// part; only confirmed parts count.
struct StagedParts: Sendable {
    let payload: WebDAVPayload
    let file: SourceFile
    let record: UploadRecord

    private var store: WebDAVStore { payload.store }

    /// Sends the missing parts.
    ///
    /// - Parameter willUse: Called with the temporary name before any bytes are sent.
    func send(willUse: (RemotePath) -> Void) async throws(StoreError) {
        let folder = payload.path.parent ?? .root
        var place = try folder.appending(TemporaryName.staged())
        var arrived: Int64 = 0
        if let kept = try await keptParts(in: folder) { (place, arrived) = kept }
        let isResumed = arrived > 0
        willUse(place)
        while arrived < file.byteCount {
            let end = min(arrived + store.piecePacing.withLock(\.byteCount), file.byteCount)
            let began = ContinuousClock.now
            try await send(arrived..<end, to: place)
            store.piecePacing.withLock {
                $0.note(end - arrived, in: began.duration(to: .now))
            }
            arrived = end
            await record.keep(.init(place: place.name, byteCount: arrived))
        }
        try payload.requireUnchanged()
        guard try await byteCount(at: place) == file.byteCount else {
            throw StoreError(
                .damaged, during: payload.operation, at: payload.path,
                detail: "the parts do not make the whole")
        }
        if isResumed { try await requireSameBytes(at: place) }
    }

    /// Between two runs a server may lose what it had confirmed, and still know its length.
    private func requireSameBytes(at place: RemotePath) async throws(StoreError) {
        let there = try await payload.store.contentHash(of: place, during: payload.operation)
        guard let hash = await payload.hash(), there != hash else { return }
        await payload.store.remove(place)
        await record.keep(nil)
        throw StoreError(
            .damaged, during: payload.operation, at: payload.path,
            detail: "what an earlier attempt had sent has changed on the server")
    }

    /// The parts of an earlier run that the server still has.
    private func keptParts(
        in folder: RemotePath
    ) async throws(StoreError) -> (place: RemotePath, byteCount: Int64)? {
        guard let kept = record.progress, kept.byteCount <= file.byteCount,
            TemporaryName.isOne(kept.place)
        else { return nil }
        let place = try folder.appending(kept.place)
        guard let there = try await byteCount(at: place) else { return nil }
        return (place, max(0, min(kept.byteCount, there)))
    }

    private func byteCount(at place: RemotePath) async throws(StoreError) -> Int64? {
        guard case .file(let file) = try await store.look(at: place, during: payload.operation)
        else { return nil }
        return file.file.byteCount
    }

    private func send(_ range: Range<Int64>, to place: RemotePath) async throws(StoreError) {
        var request = WebDAVRequest("PUT", store.address.url(of: place))
        request.fields["Content-Type"] = "application/octet-stream"
        if range.lowerBound > 0 {
            request.fields["Content-Range"] =
                "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.byteCount)"
        }
        _ = try await payload.send(
            request, body: .data(try await file.read(range)), from: range.lowerBound)
    }
}
