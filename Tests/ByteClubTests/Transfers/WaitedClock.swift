import Foundation
import Synchronization

@testable import ClubAccess

/// A clock on which only the time passes that somebody waits for, and at once.
final class WaitedClock: Sendable {
    private let time = Mutex(Duration.zero)
    private let willWait: @Sendable (Duration) -> Void

    init(willWait: @escaping @Sendable (Duration) -> Void = { _ in }) {
        self.willWait = willWait
    }

    private var elapsed: Duration { time.withLock { $0 } }

    var transferClock: TransferClock {
        TransferClock(
            date: { [self] in
                Date(timeIntervalSince1970: 1_767_571_200 + elapsed / .seconds(1))
            },
            elapsed: { [self] in elapsed },
            sleep: { [self] wait in
                willWait(wait)
                time.withLock { $0 += wait }
                await Task.yield()
                try Task.checkCancellation()
            })
    }
}
