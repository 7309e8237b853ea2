internal import ClubAccess
internal import ClubLibrary
internal import ClubStore

/// The local copy: shown before the club responds, synchronized in both directions when it is reachable.
extension Club {
    /// Shows the contents of the last run before the first request.
    func showLocalCopy() async {
        guard let local, !known.isListed else { return }
        activity.begin()
        let found = await local.contents()
        activity.end()
        known.isReading = false
        guard !known.isListed, !Task.isCancelled else { return }
        waiting = found.waiting
        if found.isListed || !waiting.isEmpty {
            reported = found.contents
            known.cursor = found.cursor
            known.skipped = found.skipped
            known.isListed = true
            await recognizeOwn()
        }
        notify()
        if let notice = found.notice { handlers.didNotice?(notice) }
    }

    /// Shows the changes in the outbox, as they are after all earlier calls.
    func refreshWaiting() async {
        guard let local else { return }
        // One after another: what is gone is what the one before has shown.
        let before = outgoing.reading
        let task = Task {
            await before?.value
            await readWaiting(from: local)
        }
        outgoing.reading = task
        await task.value
    }

    private func readWaiting(from local: LocalClub) async {
        let paths = Set(waiting.flatMap { [$0.path, $0.destination].compactMap(\.self) })
        let before = Dictionary(uniqueKeysWithValues: paths.map { ($0, reported[$0]?.revision) })
        let found = await local.run { [waiting] copy in
            let now = try copy.waitingChanges()
            let rest = Set(now.map(\.id))
            // Another program may have sent the others, and the club's own report of that can take minutes. Until then
            // the list would show what was there before them.
            let gone = waiting.filter { !rest.contains($0.id) }
            return (now, try gone.isEmpty ? [] : copy.results(of: gone))
        }
        // What waited before waits still when it cannot be read just now.
        guard let (now, settled) = found else { return notify() }
        waiting = now
        // What the club has reported meanwhile is newer.
        let current = settled.filter { reported[$0.path]?.revision == before[$0.path] ?? nil }
        if current.isEmpty { showWaiting() } else { reported.apply(current) }
        notify()
        await link.noteConfirmed(settled.compactMap(\.file))
    }

    func showWaiting() {
        contents = reported
        if !waiting.isEmpty { contents.apply(waiting.flatMap(\.entries)) }
    }

    /// Handles a write that found the club unreachable: retries the connection after a pause.
    func connectionDidFail(_ error: StoreError) {
        guard !hasLeft else { return }
        outgoing.failureCount += 1
        stop()
        store = nil
        connection = .failed(error)
        notify()
        let failures = outgoing.failureCount
        polling.watching = Task { await watch(afterFailures: failures) }
    }

    /// Sends the changes in the outbox in order, unless that is already running.
    func sendWaiting() {
        guard outgoing.task == nil else {
            outgoing.hasMore = true
            return
        }
        outgoing.hasMore = false
        guard !hasLeft, let local, case .connected = connection,
            waiting.contains(where: { $0.problem == nil })
        else { return }
        let sentence: @Sendable (StoreError) -> String = { [kind = settings.kind] error in
            ErrorMessage(error, club: kind).text
        }
        outgoing.task = Task {
            activity.begin()
            await outgoing.givenUp?.value
            var outcome: Result<OutboxSender.Outcome, any Error>
            do {
                let sender = OutboxSender(
                    await local.copy(), to: try await link.openStore(), sentence: sentence)
                outcome = .success(
                    try await sender.run(
                        willSend: { [weak self] in await self?.refreshWaiting() },
                        { [weak self] event in await self?.didSend(event) }))
            } catch {
                outcome = .failure(error)
            }
            await refreshWaiting()
            activity.end()
            outgoing.task = nil
            didEndSending(outcome)
        }
    }

    private func didEndSending(_ outcome: Result<OutboxSender.Outcome, any Error>) {
        guard !hasLeft else { return }
        switch outcome {
        case .success(.finished):
            // A change added at this moment may have missed the sender.
            if outgoing.hasMore { sendWaiting() }
        // Another Byte Club is sending; a change added just now may have missed it.
        case .success(.sentElsewhere): sendWaiting(after: .seconds(1))
        case .success(.blocked):
            if outgoing.hasMore { sendWaiting() } else { sendWaiting(after: Self.lockPause) }
        case .failure(let error as StoreError) where error.code == .cancelled: break
        case .failure(let error as StoreError): connectionDidFail(error)
        case .failure(let error): handlers.didNotice?("\(error)")
        }
    }

    /// How long to wait before retrying a file that another member keeps locked.
    private static let lockPause = Duration.seconds(30)

    private func sendWaiting(after pause: Duration) {
        outgoing.later?.cancel()
        outgoing.later = Task { [weak self] in
            guard (try? await Pause.sleep(for: pause)) != nil, let self, !hasLeft else { return }
            await refreshWaiting()
            sendWaiting()
        }
    }

    private func didSend(_ event: SyncEvent) async {
        outgoing.failureCount = 0
        switch event {
        case .sent(let change, let file):
            let isElsewhere = file?.path != change.path
            reported.apply(
                (isElsewhere ? [.deleted(change.path)] : []) + (file.map { [.file($0)] } ?? []))
        case .keptBoth(let change, let file) where change.destination != change.path:
            reported.apply([.deleted(change.path), .file(file)])
        case .merged(_, let file), .keptBoth(_, let file): reported.apply([.file(file)])
        case .notDeleted, .gone, .refused: break
        }
        await refreshWaiting()
        handlers.didSync?(event)
    }

    /// Fetches texts that are not stored here, in the background and without the activity indicator.
    func fetchMissing() {
        guard let local, case .connected = connection else { return }
        guard incoming.task == nil else {
            incoming.hasMore = true
            return
        }
        incoming.hasMore = false
        let contents = contents
        incoming.task = Task(priority: .background) {
            do {
                let store = try await link.openStore()
                let notes = await Self.notes(of: contents)
                try await TextFetcher(local.copy(), from: store).run(notes)
            } catch {
                // The long poll detects when the club is gone.
            }
            guard !Task.isCancelled else { return }
            incoming.task = nil
            if incoming.hasMore { fetchMissing() }
        }
    }

    @concurrent private nonisolated static func notes(
        of contents: ClubContents
    ) async -> [RemoteFile] {
        contents.files(of: .notes)
    }
}
