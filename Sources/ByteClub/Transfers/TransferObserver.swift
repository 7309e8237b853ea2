internal import ClubLibrary

/// Observes the transfers of a club.
@MainActor protocol TransferObserver: AnyObject {
    func transfersDidChange(_ center: TransferCenter)
    /// A transfer has completed or failed while the app was running.
    func transferDidEnd(_ item: TransferItem, in center: TransferCenter)
}

extension TransferObserver {
    func transferDidEnd(_ item: TransferItem, in center: TransferCenter) {}
}
