internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Glibc
internal import ByteClubPictures

/// One attempt at a transfer: prepares the file, transfers it, and writes the status about ten times a
/// second.
@MainActor final class TransferJob {
    private let order: TransferOrder
    private let carrier: TransferCarrier
    private var status: TransferStatus
    private var progress: TransferProgress
    private var spread: SpreadProgress
    /// Whether any bytes were transferred in this attempt. Until then the earlier count is shown.
    private var hasMoved = false
    /// Whether the last byte was sent, also while what the server has refused is about to be sent again.
    private var hasSentAll = false
    private let began: Duration
    /// Where the photo of an upload is being put.
    private var target: RemotePath?
    /// The photo itself: its file exists as long as this does.
    private var photo: PreparedPhoto?
    private var reportedAt: Duration?
    private var pending: Task<Void, Never>?
    /// Notices when no bytes move any more: nothing is reported then.
    private var watch: Task<Void, Never>?
    /// Statuses are written one after the other, the last one last.
    private var writing: Task<Void, Never>?

    private static let interval = Duration.milliseconds(100)
    /// A rate is no longer true after this time without a byte.
    private static let stallTime = Duration.seconds(4)

    private var clock: TransferClock { carrier.means.clock }
    /// The time since the attempt began.
    private var time: Duration { clock.elapsed() - began }

    init(_ item: TransferItem, of carrier: TransferCarrier) {
        order = item.order
        self.carrier = carrier
        began = carrier.means.clock.elapsed()
        status = item.status
        if order.retryCount > status.retryCount { status.failureCount = 0 }
        status.retryCount = order.retryCount
        status.forgetReason()
        progress = TransferProgress(expectedByteCount: status.totalByteCount)
        spread = SpreadProgress(startingAt: status.byteCount)
    }

    func run() async {
        let keptBefore = await keptByteCount
        do {
            noteArrival(of: try await move())
        } catch {
            pending?.cancel()
            pending = nil
            let wasSent = hasSentAll
            let kept = await keptByteCount
            // Only what fails again and again without a step forward counts.
            if kept > keptBefore { status.failureCount = 0 }
            await end(with: error)
            status.byteCount = min(status.byteCount, kept)
            if wasSent, status.state == .cancelled { await lookForArrival() }
        }
        if status.state != .waiting { carrier.prepared.remove(order.id) }
        watch?.cancel()
        status.bytesPerSecond = nil
        status.preparedFraction = nil
        report()
        await writing?.value
        await Self.forget(TransferItem(order: order, status: status), in: carrier.journal)
    }

    /// Performs the transfer, and reports repeated requests.
    private func move() async throws -> RemoteFile {
        let observer: @Sendable (RetryNotice) -> Void = { [weak self] notice in
            Task { @MainActor [weak self] in await self?.willRetry(notice) }
        }
        return try await RetryNotice.reporting(to: observer) {
            () async -> Result<RemoteFile, any Error> in
            do {
                switch order.direction {
                case .download: return .success(try await download())
                case .upload: return .success(try await upload())
                }
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func willRetry(_ notice: RetryNotice) async {
        guard let failure = TransferFailure(notice) else { return }
        let nextAttempt = clock.date().addingTimeInterval(notice.wait / .seconds(1))
        // What the server has refused is sent again.
        let kept = await keptByteCount
        guard status.state == .running else { return }
        status.note(failure, about: order)
        status.nextAttempt = nextAttempt
        status.bytesPerSecond = nil
        status.byteCount = kept
        restartMeters(at: kept)
        report()
    }

    /// How many bytes of those that moved need not move again.
    private var keptByteCount: Int64 {
        get async { min(status.byteCount, await carrier.keptByteCount(of: order)) }
    }

    private func restartMeters(at byteCount: Int64) {
        progress = TransferProgress(expectedByteCount: status.totalByteCount)
        spread = SpreadProgress(startingAt: byteCount)
    }

    /// How a job that runs tries again.
    enum Retry {
        /// It moves, and does not wait: nothing would be gained.
        case notAtAll
        /// It is to be cancelled, and another one to take its place.
        case fromTheStart
    }

    /// Somebody wants the transfer to try again.
    ///
    /// - Parameter retryCount: Of its order; one that is known already changes nothing.
    func tryAgain(_ retryCount: Int) -> Retry {
        // One that has just ended is begun again by its carrier.
        guard retryCount > status.retryCount, [.running, .preparing].contains(status.state)
        else { return .notAtAll }
        // The next job begins at once, as the order's count is higher than that of the status.
        if status.state == .running, let next = status.nextAttempt, next > clock.date() {
            return .fromTheStart
        }
        status.retryCount = retryCount
        status.failureCount = 0
        report()
        return .notAtAll
    }

    /// Removes the files of a transfer that was cleared while it ran.
    @concurrent private static func forget(
        _ item: TransferItem, in journal: TransferJournal
    ) async {
        if journal.isForgotten(item.id) { journal.clear(item) }
    }

    private func end(with error: any Error) async {
        let isStopped =
            Task.isCancelled || (error as? StoreError)?.code == .cancelled
            || (error as? PictureError)?.code == .cancelled
        guard !isStopped else {
            // The order says why it was stopped; a carrier that exits leaves it to the next one.
            let item = await TransferCarrier.item(
                order.id, in: carrier.journal, at: clock.date())
            let intent = item?.order.intent
            status.state =
                switch intent {
                case .cancel: .cancelled
                case .pause: .paused
                case .run, nil: .waiting
                }
            if status.state != .waiting { status.forgetReason() }
            return
        }
        status.failureCount += 1
        switch error {
        case let error as StoreError:
            status.note(TransferFailure(error, club: carrier.means.club), about: order)
            guard let wait = error.waitBeforeRetry(afterFailures: status.failureCount) else {
                status.state = .failed
                return
            }
            status.state = .waiting
            status.nextAttempt = clock.date().addingTimeInterval(
                min(wait / .seconds(1), TransferStatus.longestWait))
        case let error as PictureError:
            status.state = .failed
            status.note(TransferFailure(error), about: order)
        default:
            status.state = .failed
            status.reason = "\(error)"
        }
    }

    /// The server may still store a photo that was cancelled after its last byte: then it is in the club, and shown
    /// as that.
    private func lookForArrival() async {
        guard order.direction == .upload, let path = target else { return }
        report()
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
        if let file = await looking.value { noteArrival(of: file) }
    }

    private func noteArrival(of file: RemoteFile) {
        status.state = .done
        status.forgetReason()
        status.path = file.path.string
        status.revision = file.revision.rawValue
        (status.byteCount, status.totalByteCount) = (file.byteCount, file.byteCount)
    }

    // MARK: - Down

    private func download() async throws -> RemoteFile {
        let path = try RemotePath(validating: order.path)
        let store = try await carrier.means.open()
        if !order.replaces, let there = Self.date(of: order.file) {
            // An earlier attempt may have fetched it and then been killed.
            let file = try await store.metadata(of: path)
            guard Self.isSame(there, file) else {
                throw StoreError(
                    .fileUnwritable, during: .download, at: path,
                    underlying: DestinationProblem.isThere)
            }
            return file
        }
        report(.running)
        return try await TransferRun.run({ delegate in
            begun(
                store.download(
                    path, to: URL(filePath: order.file), keepsPartialFile: true,
                    replaces: order.replaces, delegate: delegate))
        }) { [self] in moved($0, $1) }
    }

    private static func date(of file: String) -> (seconds: Int, byteCount: Int64)? {
        var facts = stat()
        guard lstat(file, &facts) == 0 else { return nil }
        return (facts.st_mtim.tv_sec, Int64(facts.st_size))
    }

    /// A fetched file has the store's modification date.
    private static func isSame(
        _ there: (seconds: Int, byteCount: Int64), _ file: RemoteFile
    ) -> Bool {
        there.byteCount == file.byteCount
            && Double(there.seconds) == file.modified.timeIntervalSince1970.rounded(.towardZero)
    }

    // MARK: - Up

    private func upload() async throws -> RemoteFile {
        let photo = try await preparedPhoto()
        self.photo = photo
        let store = try await carrier.means.open()
        status.preparedFraction = nil
        status.totalByteCount = photo.byteCount
        report(.running)
        let wanted = try RemotePath(validating: order.path)
        var (path, taken) = (wanted, Set<String>())
        while true {
            do throws(StoreError) {
                let record = carrier.journal.uploadRecord(of: order.id)
                target = path
                return try await announcing(photo.url, path) { () throws(StoreError) in
                    try await TransferRun.run({ delegate in
                        begun(
                            store.upload(
                                fileAt: photo.url, to: path, mode: .add, record: record,
                                delegate: delegate))
                    }) { [self] in moved($0, $1) }
                }
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

    /// Announces the upload to the windows of this computer first: the club may announce the photo before
    /// confirming it.
    private func announcing(
        _ file: URL, _ path: RemotePath, _ send: () async throws(StoreError) -> RemoteFile
    ) async throws(StoreError) -> RemoteFile {
        guard let changes = carrier.means.changes else { return try await send() }
        return try await changes.sending(fileAt: file, to: path, send)
    }

    /// The photo of an earlier attempt, or a new one.
    private func preparedPhoto() async throws(PictureError) -> PreparedPhoto {
        let source = await Self.state(of: order.file)
        if let source, let photo = carrier.prepared.photo(of: order.id, from: source) {
            return photo
        }
        report(.preparing)
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
        let reporting = Task {
            for await fraction in fractions {
                guard status.state == .preparing else { return }
                status.preparedFraction = fraction
                reportSoon()
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

    // MARK: - Status

    private func begun(_ transfer: any StoreTransfer) -> any StoreTransfer {
        carrier.didStart(transfer, of: order)
        return transfer
    }

    private func moved(_ byteCount: Int64, _ expected: Int64) {
        status.totalByteCount = expected
        guard byteCount > 0 || hasMoved else { return reportSoon() }
        hasMoved = true
        if byteCount > status.byteCount { status.forgetReason() }
        // A part is sent again.
        if byteCount < progress.byteCount { restartMeters(at: byteCount) }
        progress.record(byteCount: byteCount, of: expected, at: time)
        spread.record(byteCount, at: time)
        status.byteCount = byteCount
        hasSentAll = TransferItem(order: order, status: status).isConfirming
        status.bytesPerSecond = progress.bytesPerSecond
        reportSoon()
        if watch == nil { watchForStalls() }
    }

    /// Takes the rate away while nothing moves.
    private func watchForStalls() {
        watch = Task { [weak self] in
            var seen: Int64?
            while (try? await Pause.sleep(for: Self.stallTime)) != nil, let self {
                if seen == status.byteCount, status.bytesPerSecond != nil {
                    status.bytesPerSecond = nil
                    report()
                }
                seen = status.byteCount
            }
        }
    }

    /// The status to show: downloaded bytes are here, uploaded ones may still be in transit.
    private var shownStatus: TransferStatus {
        var shown = status
        if order.direction == .upload, status.state == .running {
            shown.byteCount = min(
                status.byteCount, spread.shown(at: time))
        }
        return shown
    }

    /// Writes the status now or, if one was just written, at the end of the interval.
    private func reportSoon() {
        let rest = reportedAt.map { Self.interval - (clock.elapsed() - $0) } ?? .zero
        guard rest > .zero else { return report() }
        guard pending == nil else { return }
        pending = Task {
            try? await clock.sleep(rest)
            guard !Task.isCancelled else { return }
            report()
        }
    }

    private func report(_ state: TransferStatus.State? = nil) {
        if let state { status.state = state }
        pending?.cancel()
        pending = nil
        reportedAt = clock.elapsed()
        let (before, status) = (writing, shownStatus)
        writing = Task {
            await before?.value
            await carrier.write(status, of: order.id)
        }
        if status.byteCount < self.status.byteCount { reportSoon() }
    }
}

extension StoreError {
    /// The pause before a retry; nil if retrying is useless.
    fileprivate func waitBeforeRetry(afterFailures count: Int) -> Duration? {
        let pause = Duration.seconds(min(60, 1 << min(count, 6)))
        switch code {
        case .rateLimited(let wait), .serverUnavailable(let wait):
            return max(wait ?? pause, .seconds(1))
        case .offline, .timedOut, .locked: return pause
        // Its folder may be on a disk that is not there yet.
        case .untrusted where underlying is EmbeddedClubError: return pause
        // A server that fails repeatedly needs the user's attention.
        case .serverError, .badAnswer: return count < 2 ? pause : nil
        default: return nil
        }
    }
}
