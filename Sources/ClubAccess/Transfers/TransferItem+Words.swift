internal import ClubStore
package import ClubLibrary
package import FoundationEssentials
internal import ByteClubMessages

/// The texts about a transfer on the screen and in the shell.
extension TransferItem {
    /// The direction: `↑` to the club, `↓` to this computer.
    package var arrow: String { order.direction == .upload ? "↑" : "↓" }

    /// Its current name in the club.
    package var shownName: String {
        guard state == .done, let path = status.path, let name = path.pathNames().last
        else { return order.name }
        return name
    }

    /// One word for a column.
    package var stateWord: String {
        switch state {
        case .waiting: localized("waiting")
        case .preparing: localized("preparing")
        case .running where isRetrying: localized("waiting")
        case .running:
            switch (order.direction, isConfirming) {
            case (.upload, true): localized("confirming")
            case (.upload, false): localized("sending")
            case (.download, true): localized("checking")
            case (.download, false): localized("fetching")
            }
        case .paused: localized("paused")
        case .done: localized("done")
        case .failed: localized("failed")
        case .cancelled: localized("cancelled")
        }
    }

    /// Whether all bytes were transferred, but not confirmed by the club, or still being verified here.
    package var isConfirming: Bool {
        status.totalByteCount > 0 && status.byteCount >= status.totalByteCount - 1
    }

    /// `45% · 12 MB / 27 MB · 3.1 MB/s · 5 s left`, or why it does not progress.
    package func words(at now: Date) -> String {
        switch state {
        case .waiting:
            guard let reason else { return localized("Waits for its turn.") }
            guard let next = status.nextAttempt, next > now else { return reason }
            if let retry = retryNotice(at: now) { return retry.sentence }
            let wait = Duration.seconds(min(next.timeIntervalSince(now), 1e9))
            return RetryNotice.sentence(after: wait, because: reason)
        case .preparing:
            let fraction = max(0, min(status.preparedFraction ?? 0, 1))
            return localized("Preparing the photo… \(Int(fraction * 100))%")
        case .running: return retryNotice(at: now)?.sentence ?? runningWords
        case .paused:
            return keepsBytes
                ? localized("Paused: \(byteWords) are kept; it can be resumed.")
                : localized("Paused.")
        case .cancelled:
            return keepsBytes
                ? localized("Cancelled: \(byteWords) are kept; it can be resumed.")
                : localized("Cancelled.")
        case .done:
            return order.direction == .upload
                ? localized("In the club: \(Wording.byteCount(status.byteCount)).")
                : "\(order.file) · \(Wording.byteCount(status.byteCount))"
        case .failed: return reason ?? localized("It failed.")
        }
    }

    /// As it is while no process carries it out, whatever the last one has written before it was killed.
    package var uncarried: TransferItem {
        guard [.running, .preparing].contains(state) else { return self }
        var item = self
        item.status.state = .waiting
        item.status.forgetReason()
        (item.status.bytesPerSecond, item.status.preparedFraction) = (nil, nil)
        return item
    }

    /// Whether what was transferred is kept. While the transfer is still being stopped this is not known.
    private var keepsBytes: Bool {
        status.byteCount > 0 && [.paused, .cancelled].contains(status.state)
    }

    private var runningWords: String {
        guard status.totalByteCount > 0 else { return localized("Asking the club…") }
        // 100 only when it is confirmed.
        let parts = ["\(min(99, Int(fraction * 100)))%", byteWords]
        return (parts + (isConfirming ? [] : speedParts)).joined(separator: " · ")
    }

    /// `3.1 MB/s · 5 s left`, or for how long nothing has moved; empty while it cannot be estimated.
    package var speedWords: String { speedParts.joined(separator: " · ") }

    private var speedParts: [String] {
        if let seconds = status.silentSeconds, seconds.isFinite {
            return [localized("no data for \(Int(max(0, min(seconds, 1e9)))) s")]
        }
        let left = secondsLeft.map { Wording.timeLeft(.seconds(max(0, min($0, 1e9)))) }
        return [status.bytesPerSecond.map(Wording.speed), left].compactMap { $0 }
    }

    /// `12 MB / 27 MB`.
    package var byteWords: String {
        guard status.totalByteCount > 0 else { return Wording.byteCount(status.byteCount) }
        return Wording.byteCount(status.byteCount) + " / "
            + Wording.byteCount(status.totalByteCount)
    }
}
