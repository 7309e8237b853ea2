import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

struct NotesLog: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log", abstract: "List the revisions of a note, the latest first.",
        discussion: """
            Removed notes have revisions, too. Dropbox, the club on this computer and Nextcloud keep revisions. For \
            Nextcloud and other WebDAV clubs, those that this computer has seen are listed as well; while a club \
            cannot be reached, only those. With --json: an array of objects with name, size, modified, revision, \
            path, and current (true for the one that is in the club now).
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Option(help: ArgumentHelp("Maximum number of revisions, 1 to 100.", valueName: "count"))
    var limit = 20

    @Argument(help: "The note; its extension can be omitted.", completion: Proposals.notes)
    var name: String

    func validate() throws {
        guard (1...100).contains(limit) else { throw ValidationError("--limit is 1 to 100.") }
    }

    func run() async throws {
        let club = try await club.openForReading()
        let history = try await NotePaths.with(
            name, in: club, guessesExtension: true, removedIn: club.existingCopy
        ) { path throws(StoreError) in
            try await club.revisions(of: path, limit: limit)
        }
        let revisions = history.revisions.enumerated().map { index, file in
            ListedRevision(
                file: ListedFile(file), isCurrent: index == 0 && !history.isDeleted)
        }
        if json.isOn { return try Output.json(revisions) }
        for (revision, file) in zip(revisions, history.revisions) {
            let words = revision.isCurrent ? localized("  current") : ""
            Output.line(
                "\(file.revision.word)  \(revision.file.modified)  "
                    + "\(FileLines.size(file.byteCount))\(words)")
        }
        if history.isDeleted { Output.notice(localized("“\(name)” has been removed.")) }
    }
}

/// A revision in `log --json`. These fields must not change.
private struct ListedRevision: Encodable {
    var file: ListedFile
    var isCurrent: Bool

    enum CodingKeys: String, CodingKey {
        case isCurrent = "current"
    }

    func encode(to encoder: any Encoder) throws {
        try file.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isCurrent, forKey: .isCurrent)
    }
}

struct NotesRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring back a removed note, or an earlier revision.",
        discussion: """
            Without a revision, a removed note comes back in its last state. The text that an earlier \
            revision replaces is kept as a revision.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The note; “.txt” can be omitted.", completion: Proposals.notes)
    var name: String

    @Argument(help: "A revision, as byteclub notes log lists them; or --revision.")
    var revision: String?

    @Option(
        name: .customLong("revision"),
        help: ArgumentHelp("The same, as for byteclub notes cat.", valueName: "revision"))
    var revisionOption: String?

    func validate() throws {
        if revision != nil, revisionOption != nil {
            throw ValidationError("Name the revision once.")
        }
    }

    /// As many as stores list at once: older ones are left to the store.
    private static let historyLimit = 100

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let (store, keeper) = try await ClubOptions.openRevisions(club, registry)
        let earlier = EarlierChanges(club, registry)
        try await earlier.send(to: store)
        let (path, history) = try await NotePaths.with(
            name, in: store, removedIn: LocalCopy(existingIn: registry.libraryFolder(of: club))
        ) { path throws(StoreError) in
            (path, try await keeper.revisions(of: path, limit: Self.historyLimit))
        }
        try earlier.requireNone(of: path)
        let wanted = try await choose(from: history, of: path, in: keeper)
        let restored: RemoteFile
        do throws(StoreError) {
            restored = try await OwnChanges(in: club, registry).writing(at: path) {
                () throws(StoreError) in try await keeper.restore(path, to: wanted)
            }
        } catch {
            // The club refuses an ill-formed revision.
            guard [.notFound, .badRequest].contains(error.code) else { throw error }
            throw CommandFailure(noRevision: wanted.word, of: name)
        }
        if json.isOn { try Output.json(ListedFile(restored)) }
    }

    private func choose(
        from history: RevisionHistory, of path: RemotePath, in keeper: any RevisionKeeping
    ) async throws -> Revision {
        if let revision = revision ?? revisionOption {
            let wanted = Revision(word: revision)
            // Some servers take a revision for whatever note it is of.
            var isKnown =
                history.revisions.count == Self.historyLimit
                || history.revisions.contains { $0.revision == wanted }
            if !isKnown, let both = keeper as? KeptAndSeenRevisions {
                isKnown = try await both.hasSeen(wanted, of: path)
            }
            guard isKnown else { throw CommandFailure(noRevision: revision, of: name) }
            return wanted
        }
        guard history.isDeleted, let last = history.revisions.first else {
            throw CommandFailure(
                localized(
                    "“\(name)” is in the club. Name the revision you want: byteclub notes log lists them."
                )
            )
        }
        return last.revision
    }
}

extension ClubOptions {
    /// Opens the club for its notes' versions: its own if it keeps them, else those that this computer has
    /// seen.
    static func openRevisions(
        _ club: ClubSettings, _ registry: ClubRegistry
    ) async throws -> (store: any RemoteStore, keeper: any RevisionKeeping) {
        let store = try await open(club, registry)
        return (store, try await revisions(of: store, club, registry))
    }

    static func revisions(
        of store: any RemoteStore, _ club: ClubSettings, _ registry: ClubRegistry
    ) async throws(StoreError) -> any RevisionKeeping {
        var keeper = try await store.revisionStore
        if let keeper, keeper.keepsEveryState { return keeper }
        if keeper == nil { keeper = try await store.trashStore }
        let seen = SeenRevisions(
            of: LocalCopy(folder: registry.libraryFolder(of: club)), in: store)
        guard let keeper else { return seen }
        return KeptAndSeenRevisions(kept: keeper, seen: seen)
    }
}

extension CommandFailure {
    /// The argument is not a revision of the note.
    init(noRevision revision: String, of name: String) {
        self.init(
            localized(
                "There is no revision “\(revision)” of “\(name)”. byteclub notes log lists them."))
    }
}
