internal import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials

/// The files of a club's ``ListMemory``: `lists.json` has the choices, `seen` the seen files.
///
/// One that is missing or damaged is ignored when it is read.
struct ListFiles: Sendable {
    let folder: URL

    /// What one window knows.
    struct Contents: Sendable {
        var choices = ListChoices()
        var seen = UnreadMarks()
    }

    /// What was read; nil for a file that could not be read.
    struct Stored: Sendable {
        var choices: ListChoices?
        var seen: UnreadMarks?
    }

    @concurrent func read() async -> Stored {
        Stored(choices: storedChoices, seen: storedSeen)
    }

    @concurrent func readChoices() async -> ListChoices? { storedChoices }

    /// Writes what has changed since `base`, and keeps what other windows have written.
    ///
    /// Ignores errors: the lists work without stored state.
    ///
    /// - Returns: The state of this window on disk.
    @concurrent func write(_ new: Contents, since base: Contents) async -> Contents {
        var kept = base
        let lock = await lock()
        defer { lock?.release() }
        if new.choices != base.choices || !isThere(choicesFile) {
            let theirs = storedChoices
            let choices = new.choices.merged(
                into: theirs ?? ListChoices(), since: theirs == nil ? ListChoices() : base.choices)
            if let data = choices.encoded(atMost: AtomicFile.byteLimit),
                (try? AtomicFile(url: choicesFile).write(data)) != nil
            {
                kept.choices = new.choices
            }
        }
        if new.seen != base.seen || !isThere(seenFile), !new.seen.isEmpty {
            let seen = new.seen.merged(into: storedSeen ?? UnreadMarks(), since: base.seen)
            if (try? AtomicFile(url: seenFile).write(seen.data)) != nil {
                kept.seen = new.seen
            }
        }
        return kept
    }

    private var choicesFile: URL { folder.appending(path: "lists.json") }

    private var seenFile: URL { folder.appending(path: "seen") }

    private var storedChoices: ListChoices? {
        (try? AtomicFile(url: choicesFile).read()).flatMap { $0 }
            .flatMap { try? JSONDecoder().decode(ListChoices.self, from: $0) }
    }

    private var storedSeen: UnreadMarks? {
        let file = AtomicFile(url: seenFile)
        guard let data = try? file.read(atMost: UnreadMarks.byteLimit) else { return nil }
        return UnreadMarks(data)
    }

    private func isThere(_ file: URL) -> Bool {
        FileManager.default.fileExists(atPath: file.path)
    }

    /// Excludes other windows between reading and writing. If the lock is unavailable, or held for long by a
    /// stopped window, the last writer wins: lists are not worth waiting for.
    private func lock() async -> FileLock? {
        guard let lock = try? FileLock(folder.appending(path: "lists.lock")) else { return nil }
        for _ in 0..<50 {
            guard lock.attempt() == .busy else { break }
            try? await Pause.sleep(for: .milliseconds(10))
        }
        return lock
    }
}
