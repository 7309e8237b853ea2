internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubPictures

/// One attempt at a transfer: moves the file, and says how it ended.
@MainActor final class TransferJob {
    private let order: TransferOrder
    private let carrier: TransferCarrier
    private let reporter: TransferReporter
    private let work: Work

    /// What is to be done, by the order's direction.
    @MainActor private enum Work {
        case upload(PhotoUpload)
        case download(PhotoDownload)

        func run() async throws -> RemoteFile {
            switch self {
            case .upload(let upload): try await upload.run()
            case .download(let download): try await download.run()
            }
        }
    }

    private var status: TransferStatus { reporter.status }

    init(_ item: TransferItem, of carrier: TransferCarrier) {
        order = item.order
        self.carrier = carrier
        reporter = TransferReporter(item, of: carrier)
        work =
            switch order.direction {
            case .upload: .upload(PhotoUpload(of: carrier, reportingTo: reporter))
            case .download: .download(PhotoDownload(of: carrier, reportingTo: reporter))
            }
    }

    func run() async {
        let keptBefore = await keptByteCount
        do {
            reporter.end(.arrived(try await move()))
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
                return .success(try await work.run())
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
        reporter.willRetry(failure, at: nextAttempt, keeping: kept)
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
        reporter.didAskAgain(retryCount)
        return .notAtAll
    }

    // MARK: - How it ended

    private func noteFailure(_ error: any Error, keptBefore: Int64) async {
        reporter.dropPending()
        let wasSent = reporter.hasSentAll
        let kept = await keptByteCount
        // Only what fails again and again without a step forward counts.
        if kept > keptBefore { reporter.didAdvance() }
        let result = if isStop(error) { await endAfterStop() } else { end(after: error) }
        reporter.end(result, keeping: kept)
        guard wasSent, status.state == .cancelled, case .upload(let upload) = work else { return }
        reporter.report()
        if let file = await upload.arrivedFile() { reporter.end(.arrived(file)) }
    }

    /// Whether the transfer was stopped, rather than failed.
    private func isStop(_ error: any Error) -> Bool {
        Task.isCancelled || (error as? StoreError)?.code == .cancelled
            || (error as? PictureError)?.code == .cancelled
    }

    /// The order says why it was stopped; a carrier that exits leaves it to the next one.
    private func endAfterStop() async -> TransferReporter.End {
        let item = await TransferCarrier.item(
            order.id, in: carrier.journal, at: carrier.means.clock.date())
        return switch item?.order.intent {
        case .cancel: .stopped(.cancelled)
        case .pause: .stopped(.paused)
        case .run, nil: .stopped(.waiting)
        }
    }

    private func end(after error: any Error) -> TransferReporter.End {
        switch error {
        case let error as StoreError:
            let failure = TransferFailure(error, club: carrier.means.club)
            guard let wait = error.waitBeforeRetry(afterFailures: status.failureCount + 1)
            else { return .failed(failure) }
            let date = carrier.means.clock.date().addingTimeInterval(
                min(wait / .seconds(1), TransferStatus.longestWait))
            return .waiting(failure, until: date)
        case let error as PictureError: return .failed(TransferFailure(error))
        default: return .broken(reason: "\(error)")
        }
    }

    /// Removes the files of a transfer that was cleared while it ran.
    @concurrent private static func forget(
        _ item: TransferItem, in journal: TransferJournal
    ) async {
        if journal.isForgotten(item.id) { journal.clear(item) }
    }
}
