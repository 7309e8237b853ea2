internal import ClubAccess
internal import ClubStore
internal import Messages
internal import TerminalUI

/// Things done to several files, one after the other.
extension FileList {
    /// Does something with each of a few entries and says how far it is. It goes on after what has failed for one
    /// of them alone, and stops at any other failure, or where nothing at all is permitted.
    ///
    /// - Parameters:
    ///   - doing: `Deleting`, while it goes on.
    ///   - failureTitle: Of the alert, when one has failed.
    ///   - then: Called with what was done, if anything was.
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
            for (index, item) in items.enumerated() {
                guard let self, !Task.isCancelled else { break }
                if items.count > 1 {
                    owner?.application?.showMessage(
                        localized("\(doing) \(index + 1) of \(items.count)…"), for: nil)
                }
                do throws(StoreError) {
                    try await body(item)
                    done.append(item)
                } catch {
                    // The first one is told, or what has ended it.
                    if failure == nil || !error.concernsOneFile { failure = error }
                    if !error.concernsOneFile { break }
                    // A club that can only be read refuses each of them.
                    if case .forbidden = error.code, done.isEmpty, index >= 2 { break }
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
            ? localized(" \(done.count) of \(items.count) were done.")
            : ""
        if let failure, failure.code != .cancelled {
            let words = club.sentence(for: failure)
            let isConflict = if case .conflict = failure.code { true } else { false }
            let usesOwnTitle = isConflict || items.count > 1
            owner?.present(
                AlertController(
                    title: usesOwnTitle ? failureTitle : words.title,
                    message: TextLine(words.text + progress)))
        } else if done.count < items.count {
            owner?.application?.showMessage(
                localized("Stopped after \(done.count) of \(items.count)."), .warning)
        }
    }
}
