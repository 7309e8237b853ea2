import FoundationEssentials

extension Engine {
    /// Passes interim answers (1xx) on.
    func takeInterimHeads(of transfer: Transfer) {
        for head in transfer.head.takeInterim() {
            transfer.upload?.take(interim: head)
            guard let url = transfer.request.url, transfer.task.listener != nil else { continue }
            transfer.task.post(.informational(HTTPURLResponse(url: url, head: head)))
        }
    }
}
