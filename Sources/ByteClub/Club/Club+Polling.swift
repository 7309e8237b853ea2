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
        var waits = Waits()
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
                if waits.failureCount > 0 {
                    try? await Pause.sleep(for: Self.pause(afterFailures: waits.failureCount))
                }
                try await follow(&waits)
            } catch {
                if Task.isCancelled { return }
                if error.code == .cursorReset {
                    known.cursor = nil
                    // The first one is answered at once. A server that resets each cursor would get listing after
                    // listing.
                    if waits.resetCount > 0 {
                        try? await Pause.sleep(for: Self.pause(afterFailures: waits.resetCount))
                    }
                    waits.resetCount += 1
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
        // A store that ignores case has one file where two spellings of its name have been reported. A WebDAV server
        // may list a name in another normalization than it was sent.
        let ignoresCase = if case .webdav = settings.place { false } else { true }
        if !changes.skipped.isEmpty
            || reported.hasOtherSpelling(ofAny: changes.entries, ignoringCase: ignoresCase)
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
        let listing = try await list()
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

    private func list() async throws(StoreError) -> Listing {
        let listing = try await perform { store throws(StoreError) in
            try await store.list(.root, recursive: true)
        }
        guard listing.entries.isEmpty, reported.hasFiles else { return listing }
        // Everything is gone at once: a server that starts, or a folder that is not mounted yet, looks like that.
        try? await Pause.sleep(for: Self.pause(afterFailures: 1))
        return try await perform { store throws(StoreError) in
            try await store.list(.root, recursive: true)
        }
    }

    /// Once per connection: the account rarely changes, and each request counts.
    private func askForAccount() async {
        guard settings.needsSignIn, account == nil else { return }
        account = try? await perform { store throws(StoreError) in try await store.account() }
        if account != nil, !Task.isCancelled { notify() }
    }

    /// Requests the account again: a change made here has changed the used quota. Of many changes in a row, once in a
    /// while, and after the last.
    func askForAccountAgain() {
        guard settings.needsSignIn, account != nil, !hasLeft else { return }
        guard polling.accountQuestion == .none else {
            polling.accountQuestion = .due
            return
        }
        // At once: others may ask before the task begins.
        polling.accountQuestion = .asked
        Task {
            while true {
                await updateAccount()
                try? await Pause.sleep(for: .seconds(1))
                guard polling.accountQuestion == .due, !hasLeft else { break }
                polling.accountQuestion = .asked
            }
            polling.accountQuestion = .none
        }
    }

    private func updateAccount() async {
        let now = try? await perform { store throws(StoreError) in try await store.account() }
        guard let now, now != account, !hasLeft else { return }
        account = now
        notify()
    }

    /// How waiting for changes went, one wait after another.
    private struct Waits {
        /// Failures of waiting alone: the club is then reachable and is polled at intervals.
        var failureCount = 0
        /// Cursors that the server did not know, without a wait that worked in between.
        var resetCount = 0
        /// Waits in a row that ended early and brought nothing.
        var vainCount = 0
        /// Waits in a row that ended early and brought something.
        var quickCount = 0
        /// What was reported since the last wait that took its time.
        private var told: Set<RemoteEntry> = []
        /// Above this, what was told is forgotten: it only delays a pause.
        private static let toldLimit = 1000

        /// Notes what a wait has brought.
        ///
        /// - Returns: Whether it is news. A server that reports the same again and again reports none; a change of
        ///   our own is known already, and reported for the first time.
        mutating func note(_ entries: [RemoteEntry], knownIn contents: ClubContents) -> News {
            let isKnown = entries.allSatisfy { told.contains($0) && contents.has($0) }
            if told.count + entries.count > Self.toldLimit { told = [] }
            told.formUnion(entries.prefix(Self.toldLimit))
            return isKnown ? .none : .some
        }

        mutating func startOver() {
            (vainCount, quickCount, told) = (0, 0, [])
        }
    }

    private func follow(_ waits: inout Waits) async throws(StoreError) {
        while !Task.isCancelled, let last = known.cursor {
            let asked = ContinuousClock.now
            let hasChanges: Bool
            do throws(StoreError) {
                hasChanges = try await link.ask { store throws(StoreError) in
                    try await store.waitForChanges(after: last, atMost: .seconds(240))
                }
                waits.failureCount = 0
            } catch {
                guard error.code != .cursorReset else { throw error }
                // The next request for changes, sent at once, shows whether the club is reachable.
                waits.failureCount += 1
                return
            }
            let news = hasChanges ? try await takeChanges(after: last, &waits) : .none
            waits.resetCount = 0
            if Task.isCancelled { return }
            takeFromShell()
            guard ContinuousClock.now - asked < Self.shortestWait else {
                waits.startOver()
                continue
            }
            switch news {
            case .some:
                waits.vainCount = 0
                waits.quickCount += 1
                // One change after another without an end: they come together.
                guard waits.quickCount > Self.quickLimit else { continue }
                try? await Pause.sleep(for: Self.pause(afterFailures: 1))
            case .none:
                // A server, or a proxy that cuts long requests, answers at once without a change: one that goes on
                // like this is asked as rarely as one that fails. What has changed may be hidden, and the next change
                // may be one to show: then a little later.
                waits.quickCount = 0
                waits.vainCount += 1
                let count = max(1, waits.vainCount - (hasChanges ? 4 : 2))
                try? await Pause.sleep(for: Self.pause(afterFailures: count))
            }
        }
    }

    /// How many changes are shown one by one in quick succession.
    private static let quickLimit = 20

    /// A wait without a change takes at least this long at a server that waits.
    private static let shortestWait = Duration.seconds(5)

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

    private enum News { case none, some }

    private func takeChanges(
        after last: Cursor, _ waits: inout Waits
    ) async throws(StoreError) -> News {
        let changes = try await link.ask { store throws(StoreError) in
            try await store.changes(since: last)
        }
        if Task.isCancelled { return .none }
        let news = waits.note(changes.entries, knownIn: reported)
        try take(changes, after: last)
        guard !changes.entries.isEmpty else { return .none }
        await recognizeOwn()
        notify()
        fetchMissing()
        return news
    }
}
