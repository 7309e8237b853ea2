internal import ClubAccess
internal import ClubLibrary
internal import ClubStore

/// Follows the club's folder: lists it, then waits for changes; after a failure again, after a while.
extension Club {
    /// How long to wait before the next attempt after this many failures in a row.
    private static func pause(afterFailures count: Int) -> Duration {
        .seconds([1, 2, 4, 8, 15][min(count, 5) - 1])
    }

    func watch(afterFailures count: Int = 0) async {
        await showLocalCopy()
        var failures = count
        if failures > 0 { try? await Pause.sleep(for: Self.pause(afterFailures: failures)) }
        while !Task.isCancelled {
            do throws(StoreError) {
                if let cursor = known.cursor {
                    try await catchUp(from: cursor)
                } else {
                    try await listAnew()
                }
                failures = 0
                sendWaiting()
                fetchMissing()
                await askForAccount()
                try await follow()
            } catch {
                if Task.isCancelled { return }
                if error.code == .cursorReset {
                    known.cursor = nil
                    continue
                }
                failures += 1
                store = nil
                connection = .failed(error)
                notify()
                // Only a person can help: a refresh comes with the new sign-in. (A server that is not
                // believed may be a network's sign-in page, which goes away.)
                if error.code == .unauthorized, settings.needsSignIn { return }
                try? await Pause.sleep(for: Self.pause(afterFailures: failures))
            }
        }
    }

    /// Asks only for what has changed since: of a large club the whole list takes megabytes.
    private func catchUp(from last: Cursor) async throws(StoreError) {
        activity.begin()
        defer { activity.end() }
        let changes = try await perform { store throws(StoreError) in
            try await store.changes(since: last)
        }
        // A refresh in the meantime wants the whole list.
        if Task.isCancelled { throw StoreError(.cancelled, during: .changes) }
        try take(changes, after: last)
        await recognizeOwn()
        // What has ended this watch meanwhile has said how the club is.
        if Task.isCancelled { throw StoreError(.cancelled, during: .changes) }
        connection = .connected
        known.listingCount += 1
        notify()
    }

    /// - Throws: `.cursorReset` when only a whole listing tells what is there now.
    private func take(_ changes: Listing, after last: Cursor) throws(StoreError) {
        // A store that ignores case has one file where two spellings of its name have been told.
        let ignoresCase = if case .webdav = settings.place { false } else { true }
        if !changes.skipped.isEmpty || ignoresCase && told.hasOtherSpelling(ofAny: changes.entries)
        {
            throw StoreError(.cursorReset, during: .changes)
        }
        known.cursor = changes.cursor
        local?.note { try $0.apply(changes, after: last) }
        guard !changes.entries.isEmpty else { return }
        told.apply(changes.entries)
        noteTold(changes.entries)
    }

    private func listAnew() async throws(StoreError) {
        // Until it is shown, not only until it has come.
        activity.begin()
        defer { activity.end() }
        let listing = try await perform { store throws(StoreError) in
            try await store.list(.root, recursive: true)
        }
        let contents = await ClubContents.make(from: listing)
        if Task.isCancelled { throw StoreError(.cancelled, during: .list) }
        told = contents
        known.cursor = listing.cursor
        known.listingCount += 1
        known.skipped = listing.skipped
        known.isListed = true
        connection = .connected
        local?.note { try $0.replaceListing(with: listing) }
        await recognizeOwn()
        notify()
    }

    /// Once for each connection: it changes slowly, and costs requests.
    private func askForAccount() async {
        guard settings.needsSignIn, account == nil else { return }
        account = try? await perform { store throws(StoreError) in try await store.account() }
        if account != nil, !Task.isCancelled { notify() }
    }

    /// What is used of the quota has changed, by something done here.
    func askForAccountAgain() {
        guard settings.needsSignIn, account != nil, !hasLeft else { return }
        Task {
            let now = try? await perform { store throws(StoreError) in try await store.account() }
            guard let now, now != account, !hasLeft else { return }
            account = now
            notify()
        }
    }

    private func follow() async throws(StoreError) {
        while !Task.isCancelled, let last = known.cursor {
            let asked = ContinuousClock.now
            let hasChanges = try await ask { store throws(StoreError) in
                try await store.waitForChanges(after: last, atMost: .seconds(240))
            }
            guard hasChanges else { continue }
            let changes = try await ask { store throws(StoreError) in
                try await store.changes(since: last)
            }
            if Task.isCancelled { return }
            try take(changes, after: last)
            guard !changes.entries.isEmpty else {
                // A server that answers at once with nothing must not keep us busy.
                if ContinuousClock.now - asked < .milliseconds(100) {
                    try? await Pause.sleep(for: .seconds(1))
                }
                continue
            }
            await recognizeOwn()
            notify()
            fetchMissing()
        }
    }
}
