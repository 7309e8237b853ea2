import FoundationEssentials

extension Engine {
    /// Passes interim answers (1xx) on.
    func takeInterimHeads(of load: Load) {
        for head in load.head.takeInterim() {
            load.upload?.take(interim: head)
            guard let url = load.request.url, load.task.listener != nil else { continue }
            load.task.post(.informational(HTTPURLResponse(url: url, head: head)))
        }
    }
}
