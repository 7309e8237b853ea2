internal import ClubAccess
internal import ClubLibrary
internal import ClubStore

/// Follows the club's folder: lists it, then waits for changes; after a failure retries with a pause.
extension Club {
    /// The pause before the next attempt after this many failures in a row.
    private static func pause(afterFailures count: Int) -> Duration {
        .seconds([1, 2, 4, 8, 15][min(count, 5) - 1])
    }

    func watch(afterFailures count: Int = 0) async {
        await showLocalCopy()
        if polling.shell == nil, !hasLeft {
            polling.shell = local?.watch { [weak self] in self?.takeFromShell() }
        }
        var failures = count
        // Counts failures of waiting alone: the club is then reachable and is polled at intervals.
        var waitFailures = 0
        if failures > 0 { try? await Pause.sleep(for: Self.pause(afterFailures: failures)) }
        while !Task.isCancelled {
            do throws(StoreError) {
                if let cursor = known.cursor {
                    try await catchUp(from: cursor)
                } else {
                    try await listAgain()
                }
                failures = 0
                sendWaiting()
                takeFromShell()
                fetchMissing()
                await askForAccount()
                if waitFailures > 0 {
                    try? await Pause.sleep(for: Self.pause(afterFailures: waitFailures))
                }
                try await follow(failures: &waitFailures)
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
                takeFromShell()
                // Only the user can help: the new sign-in triggers a refresh. (An untrusted server may be a
                // network's sign-in page, which goes away.)
                if error.code == .unauthorized, settings.needsSignIn { return }
                try? await Pause.sleep(for: Self.pause(afterFailures: failures))
            }
        }
    }

    /// Requests only the changes since then: the listing of a large club takes megabytes.
    private func catchUp(from last: Cursor) async throws(StoreError) {
        activity.begin()
        defer { activity.end() }
        let changes = try await perform { store throws(StoreError) in
            try await store.changes(since: last)
        }
        // A refresh in the meantime requires the whole listing.
        if Task.isCancelled { throw StoreError(.cancelled, during: .changes) }
        try take(changes, after: last)
        await recognizeOwn()
        // If this watch was cancelled meanwhile, the connection state was already set.
        if Task.isCancelled { throw StoreError(.cancelled, during: .changes) }
        connection = .connected
        known.listingCount += 1
        notify()
    }

    /// - Throws: `.cursorReset` if a whole listing is required.
    private func take(_ changes: Listing, after last: Cursor) throws(StoreError) {
        // A store that ignores case has one file where two spellings of its name have been reported.
        let ignoresCase = if case .webdav = settings.place { false } else { true }
        if !changes.skipped.isEmpty
            || ignoresCase && reported.hasOtherSpelling(ofAny: changes.entries)
        {
            throw StoreError(.cursorReset, during: .changes)
        }
        known.cursor = changes.cursor
        local?.note { try $0.apply(changes, after: last) }
        guard !changes.entries.isEmpty else { return }
        reported.apply(changes.entries)
        noteReported(changes.entries)
    }

    private func listAgain() async throws(StoreError) {
        // Until the listing is shown, not only until it has been received.
        activity.begin()
        defer { activity.end() }
        let listing = try await perform { store throws(StoreError) in
            try await store.list(.root, recursive: true)
        }
        let contents = await ClubContents.make(from: listing)
        if Task.isCancelled { throw StoreError(.cancelled, during: .list) }
        reported = contents
        known.cursor = listing.cursor
        known.listingCount += 1
        known.skipped = listing.skipped
        known.isListed = true
        connection = .connected
        local?.note { try $0.replaceListing(with: listing) }
        await recognizeOwn()
        notify()
    }

    /// Once per connection: the account rarely changes, and each request counts.
    private func askForAccount() async {
        guard settings.needsSignIn, account == nil else { return }
        account = try? await perform { store throws(StoreError) in try await store.account() }
        if account != nil, !Task.isCancelled { notify() }
    }

    /// Requests the account again: a change made here has changed the used quota.
    func askForAccountAgain() {
        guard settings.needsSignIn, account != nil, !hasLeft else { return }
        Task {
            let now = try? await perform { store throws(StoreError) in try await store.account() }
            guard let now, now != account, !hasLeft else { return }
            account = now
            notify()
        }
    }

    /// - Parameter failures: Reset to 0 by a response.
    private func follow(failures: inout Int) async throws(StoreError) {
        while !Task.isCancelled, let last = known.cursor {
            let asked = ContinuousClock.now
            let hasChanges: Bool
            do throws(StoreError) {
                hasChanges = try await ask { store throws(StoreError) in
                    try await store.waitForChanges(after: last, atMost: .seconds(240))
                }
                failures = 0
            } catch {
                guard error.code != .cursorReset else { throw error }
                // The next request for changes, sent at once, shows whether the club is reachable.
                failures += 1
                return
            }
            if hasChanges { try await takeChanges(after: last, asked: asked) }
            if Task.isCancelled { return }
            takeFromShell()
        }
    }

    /// Shows what the shell has put into the outbox meanwhile, and sends it if the club is reachable. The next change is
    /// not kept waiting.
    func takeFromShell() {
        Task {
            guard !hasLeft else { return }
            let before = waiting
            await refreshWaiting()
            if waiting != before || outgoing.task == nil { sendWaiting() }
        }
    }

    private func takeChanges(
        after last: Cursor, asked: ContinuousClock.Instant
    ) async throws(StoreError) {
        let changes = try await ask { store throws(StoreError) in
            try await store.changes(since: last)
        }
        if Task.isCancelled { return }
        try take(changes, after: last)
        guard !changes.entries.isEmpty else {
            // Limits the rate if a server responds at once with no changes.
            if ContinuousClock.now - asked < .milliseconds(100) {
                try? await Pause.sleep(for: .seconds(1))
            }
            return
        }
        await recognizeOwn()
        notify()
        fetchMissing()
    }
}
