internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials

/// Copies of texts that are about to be deleted or replaced in the club.
extension Club {
    /// Where a text of the club can be had again after it was deleted or replaced.
    enum CopyPlace {
        /// On this computer, also after a restart.
        case here
        /// In the club, among the revisions that it keeps of every state.
        case club
        /// In no place that outlives the app.
        case nowhere
    }

    /// Stores a text of the club on this computer, with its entry: without one, a deletion that another program
    /// finds is not in the trash.
    func keepCopy(of text: (file: RemoteFile, data: Data)) async -> CopyPlace {
        if let local {
            do {
                try await local.attempt { copy in
                    try copy.record([.file(text.file)])
                    try copy.keep([text])
                    // A damaged copy may have been replaced by one in memory just now.
                    try copy.requireDurable()
                }
                return .here
            } catch {
                // The disk is full, or may not be written to: only the club's own revisions are left.
            }
        }
        return await keepsEveryState() ? .club : .nowhere
    }

    /// Where a note's text in the club can be had again, once it has been stored here if that is possible.
    ///
    /// - Throws: `.conflict` if the club has another version by now; what the store throws if the text has to be
    ///   fetched.
    func copyPlace(of file: RemoteFile) async throws(StoreError) -> CopyPlace {
        if await local?.canKeep() == true,
            await local?.run({ try $0.text(of: file) != nil }) == true
        {
            return .here
        }
        // Not fetched for nothing: it may be large.
        if await keepsEveryState() { return .club }
        let found = try await perform { store throws(StoreError) in
            try await store.fetch(file.path)
        }
        guard found.file.revision == file.revision else {
            throw StoreError(
                .conflict(serverRevision: found.file.revision), during: .put, at: file.path)
        }
        return await keepCopy(of: found)
    }

    private func keepsEveryState() async -> Bool {
        do throws(StoreError) {
            return try await perform { store throws(StoreError) in
                try await store.revisionStore?.keepsEveryState == true
            }
        } catch {
            return false
        }
    }
}
