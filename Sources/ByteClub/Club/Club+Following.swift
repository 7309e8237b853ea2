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
                let cursor = try await listAnew()
                failures = 0
                sendWaiting()
                fetchMissing()
                await askForAccount()
                try await follow(from: cursor)
            } catch {
                if Task.isCancelled { return }
                if error.code == .cursorReset { continue }
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

    private func listAnew() async throws(StoreError) -> Cursor {
        // Until it is shown, not only until it has come.
        activity.begin()
        defer { activity.end() }
        let listing = try await perform { store throws(StoreError) in
            try await store.list(.root, recursive: true)
        }
        let contents = await ClubContents.make(from: listing)
        if Task.isCancelled { throw StoreError(.cancelled, during: .list) }
        told = contents
        listingCount += 1
        skipped = listing.skipped
        isListed = true
        connection = .connected
        local?.note { try $0.replaceListing(with: listing) }
        notify()
        return listing.cursor
    }

    /// Once for each connection: it changes slowly, and costs requests.
    private func askForAccount() async {
        guard settings.needsSignIn, account == nil else { return }
        account = try? await perform { store throws(StoreError) in try await store.account() }
        if account != nil, !Task.isCancelled { notify() }
    }

    private func follow(from cursor: Cursor) async throws(StoreError) {
        var cursor = cursor
        while !Task.isCancelled {
            let (last, asked) = (cursor, ContinuousClock.now)
            let hasChanges = try await ask { store throws(StoreError) in
                try await store.waitForChanges(after: last, atMost: .seconds(240))
            }
            guard hasChanges else { continue }
            let changes = try await ask { store throws(StoreError) in
                try await store.changes(since: last)
            }
            if Task.isCancelled { return }
            cursor = changes.cursor
            guard !changes.entries.isEmpty else {
                // A server that answers at once with nothing must not keep us busy.
                if ContinuousClock.now - asked < .milliseconds(100) {
                    try? await Pause.sleep(for: .seconds(1))
                }
                continue
            }
            told.apply(changes.entries)
            local?.note { try $0.apply(changes) }
            notify()
            fetchMissing()
        }
    }
}
