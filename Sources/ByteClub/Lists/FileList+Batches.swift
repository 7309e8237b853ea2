internal import ClubAccess
internal import ClubStore
internal import ByteClubMessages
internal import TerminalUI

/// Operations on several files, one after the other.
extension FileList {
    /// Runs an operation on each entry and shows progress. Continues after a failure of one entry, and stops
    /// at any other failure, or if nothing at all is permitted.
    ///
    /// - Parameters:
    ///   - doing: The progress message: `Deleting`.
    ///   - failureTitle: The alert's title after a failure.
    ///   - then: Called with the completed entries, if there are any.
    func forEach<Item>(
        _ items: [Item], doing: String, failureTitle: String,
        _ body: @escaping @MainActor (Item) async throws(StoreError) -> Void,
        then: @escaping @MainActor ([Item]) -> Void
    ) {
        guard batch == nil else {
            owner?.application?.showMessage(
                localized("Another operation is still running."), .warning)
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
                    // The first failure is shown, or the one that stopped the operation.
                    if failure == nil || !error.concernsOneFile { failure = error }
                    if !error.concernsOneFile { break }
                    // A read-only club refuses each entry.
                    if case .forbidden = error.code, done.isEmpty, index >= 2 { break }
                }
            }
            guard let self else { return }
            batch = nil
            finish(items, done, failure, failureTitle, then)
        }
    }

    /// Unmarks the completed entries; failed ones stay marked.
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
            let usesOwnTitle = failure.isConflict || items.count > 1
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
