internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubPictures

/// One attempt at a transfer: moves the file, and says how it ended.
@MainActor final class TransferJob {
    private let order: TransferOrder
    private let carrier: TransferCarrier
    private let reporter: TransferReporter
    /// The upload; nil for a download.
    private let upload: PhotoUpload?

    private var status: TransferStatus {
        get { reporter.status }
        set { reporter.status = newValue }
    }

    init(_ item: TransferItem, of carrier: TransferCarrier) {
        order = item.order
        self.carrier = carrier
        reporter = TransferReporter(item, of: carrier)
        upload =
            order.direction == .upload
            ? PhotoUpload(of: carrier, reportingTo: reporter) : nil
    }

    func run() async {
        let keptBefore = await keptByteCount
        do {
            noteArrival(of: try await move())
        } catch {
            await noteFailure(error, keptBefore: keptBefore)
        }
        if status.state != .waiting { carrier.prepared.remove(order.id) }
        await reporter.finish()
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
                if let upload { return .success(try await upload.run()) }
                let download = PhotoDownload(of: carrier, reportingTo: reporter)
                return .success(try await download.run())
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func willRetry(_ notice: RetryNotice) async {
        guard let failure = TransferFailure(notice) else { return }
        let nextAttempt = carrier.means.clock.date().addingTimeInterval(
            notice.wait / .seconds(1))
        // What the server has refused is sent again.
        let kept = await keptByteCount
        guard status.state == .running else { return }
        status.note(failure, about: order)
        status.nextAttempt = nextAttempt
        status.bytesPerSecond = nil
        status.byteCount = kept
        reporter.restartMeters(at: kept)
        reporter.report()
    }

    /// How many bytes of those that moved need not move again.
    private var keptByteCount: Int64 {
        get async { min(status.byteCount, await carrier.keptByteCount(of: order)) }
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
        if status.state == .running, let next = status.nextAttempt,
            next > carrier.means.clock.date()
        {
            return .fromTheStart
        }
        status.retryCount = retryCount
        status.failureCount = 0
        reporter.report()
        return .notAtAll
    }

    // MARK: - How it ended

    private func noteArrival(of file: RemoteFile) {
        status.state = .done
        status.forgetReason()
        status.path = file.path.string
        status.revision = file.revision.rawValue
        (status.byteCount, status.totalByteCount) = (file.byteCount, file.byteCount)
    }

    private func noteFailure(_ error: any Error, keptBefore: Int64) async {
        reporter.dropPending()
        let wasSent = reporter.hasSentAll
        let kept = await keptByteCount
        // Only what fails again and again without a step forward counts.
        if kept > keptBefore { status.failureCount = 0 }
        if isStop(error) {
            await noteStop()
        } else {
            note(error)
        }
        status.byteCount = min(status.byteCount, kept)
        guard wasSent, status.state == .cancelled, let upload else { return }
        reporter.report()
        if let file = await upload.arrivedFile() { noteArrival(of: file) }
    }

    /// Whether the transfer was stopped, rather than failed.
    private func isStop(_ error: any Error) -> Bool {
        Task.isCancelled || (error as? StoreError)?.code == .cancelled
            || (error as? PictureError)?.code == .cancelled
    }

    /// The order says why it was stopped; a carrier that exits leaves it to the next one.
    private func noteStop() async {
        let item = await TransferCarrier.item(
            order.id, in: carrier.journal, at: carrier.means.clock.date())
        status.state =
            switch item?.order.intent {
            case .cancel: .cancelled
            case .pause: .paused
            case .run, nil: .waiting
            }
        if status.state != .waiting { status.forgetReason() }
    }

    private func note(_ error: any Error) {
        status.failureCount += 1
        switch error {
        case let error as StoreError:
            status.note(TransferFailure(error, club: carrier.means.club), about: order)
            guard let wait = error.waitBeforeRetry(afterFailures: status.failureCount) else {
                status.state = .failed
                return
            }
            status.state = .waiting
            status.nextAttempt = carrier.means.clock.date().addingTimeInterval(
                min(wait / .seconds(1), TransferStatus.longestWait))
        case let error as PictureError:
            status.state = .failed
            status.note(TransferFailure(error), about: order)
        default:
            status.state = .failed
            status.reason = "\(error)"
        }
    }

    /// Removes the files of a transfer that was cleared while it ran.
    @concurrent private static func forget(
        _ item: TransferItem, in journal: TransferJournal
    ) async {
        if journal.isForgotten(item.id) { journal.clear(item) }
    }
}
