internal import ClubAccess
internal import ClubStore
internal import Messages
internal import TerminalUI

/// Things done to several files, one after the other.
extension FileList {
    /// Does something with each of a few entries, says how far it is, and stops at the first failure.
    ///
    /// - Parameters:
    ///   - doing: `Deleting`, while it goes on.
    ///   - failureTitle: Of the alert, when it stops.
    ///   - then: Called with what was done, when all was.
    func forEach<Item>(
        _ items: [Item], doing: String, failureTitle: String,
        _ body: @escaping @MainActor (Item) async throws(StoreError) -> Void,
        then: @escaping @MainActor ([Item]) -> Void
    ) {
        guard batch == nil else {
            owner?.application?.showMessage(
                localized("Something else is still going on."), .warning)
            return
        }
        batch = owner?.startPending { [weak self] in
            var done: [Item] = []
            var failure: StoreError?
            for item in items {
                guard let self, !Task.isCancelled else { break }
                if items.count > 1 {
                    owner?.application?.showMessage(
                        localized("\(doing) \(done.count + 1) of \(items.count)…"), for: nil)
                }
                do throws(StoreError) {
                    try await body(item)
                    done.append(item)
                } catch {
                    failure = error
                    break
                }
            }
            guard let self else { return }
            batch = nil
            finish(items, done, failure, failureTitle, then)
        }
    }

    /// Takes the marks away from what was done; what was not keeps them.
    func unmark(_ done: [FileEntry]) {
        let paths = Set(done.map { AnyHashable($0.path) })
        list.retainMarks { !paths.contains($0) }
    }

    private func finish<Item>(
        _ items: [Item], _ done: [Item], _ failure: StoreError?, _ failureTitle: String,
        _ then: @MainActor ([Item]) -> Void
    ) {
        owner?.application?.dismissMessage()
        if !done.isEmpty { then(done) }
        let progress =
            items.count > 1
            ? localized(" \(done.count) of \(items.count) were done before that.") : ""
        if let failure, failure.code != .cancelled {
            let words = club.sentence(for: failure)
            let isConflict = if case .conflict = failure.code { true } else { false }
            owner?.present(
                AlertController(
                    title: isConflict ? failureTitle : words.title,
                    message: TextLine(words.text + progress)))
        } else if done.count < items.count {
            owner?.application?.showMessage(
                localized("Stopped after \(done.count) of \(items.count)."), .warning)
        }
    }
}
