@testable import ByteClub

/// Waits for a condition, asked at each change of what is observed.
@MainActor final class Waiter<Subject> {
    private let isTrue: @MainActor (Subject) -> Bool
    private var isDone = false
    private var continuation: CheckedContinuation<Void, Never>?

    init(_ isTrue: @escaping @MainActor (Subject) -> Bool) {
        self.isTrue = isTrue
    }

    func look(at subject: Subject) {
        if !isDone, isTrue(subject) { end() }
    }

    /// Ends the wait, whether or not the condition is met.
    func end() {
        isDone = true
        continuation?.resume()
        continuation = nil
    }

    func wait() async {
        guard !isDone else { return }
        await withCheckedContinuation { continuation = $0 }
    }
}

extension Waiter: ClubObserver where Subject == Club {
    func clubDidChange(_ club: Club) { look(at: club) }
}

extension Waiter: TransferObserver where Subject == TransferCenter {
    func transfersDidChange(_ center: TransferCenter) { look(at: center) }
}
