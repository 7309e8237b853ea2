import ClubLibrary
import ClubStore
import Foundation
import Synchronization

@testable import ByteClub
@testable import ClubAccess

/// Carries transfers out in this process.
final class CarrierHere: TransferCarrying {
    private let journal: TransferJournal
    private let store: any RemoteStore
    private let tasks = Mutex<[Task<Void, Never>]>([])

    init(_ folder: URL, _ store: any RemoteStore) {
        journal = TransferJournal(folder: folder)
        self.store = store
    }

    func start() async -> String? {
        let (journal, store) = (journal, store)
        let task = Task {
            await CarrierProcess.carry(
                journal, means: TransferCarrier.Means(club: .remote) { store })
        }
        tasks.withLock { $0.append(task) }
        return nil
    }

    func isRunning() async -> Bool { true }

    /// Ends it as a kill would, but for what is cleaned up.
    func end() async {
        let tasks = tasks.withLock { $0 }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// A carrier that never carries anything.
final class NoCarrier: TransferCarrying {
    let startCount = Mutex(0)
    private let reason: String?

    /// - Parameter reason: Why it cannot be started; nil for one that ends at once.
    init(reason: String?) {
        self.reason = reason
    }

    func start() async -> String? {
        startCount.withLock { $0 += 1 }
        return reason
    }

    func isRunning() async -> Bool { false }
}
