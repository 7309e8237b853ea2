import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import ByteClubMessages

struct NotesMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Rename a note, or move notes into a folder.",
        discussion: """
            The last name is the note's new one, or a folder when it ends with a slash; a missing folder is \
            created. An existing note is never replaced. While the club cannot be \
            reached, the change waits: byteclub outbox lists it.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(
        help: ArgumentHelp("The notes, and then the new name or FOLDER/.", valueName: "name"),
        completion: Proposals.notesAndFolders)
    var names: [String]

    func validate() throws {
        guard names.count >= 2 else { throw ValidationError("A note and its new name are needed.") }
        guard names.count == 2 || names.last?.hasSuffix("/") == true else {
            throw ValidationError("Several notes can be moved into a folder only: FOLDER/")
        }
    }

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let reminder = OutboxReminder(club, registry)
        defer { reminder.show() }
        var rest = names.dropLast()
        try await Output.listing(asJSON: json.isOn) { moved in
            do {
                let store = try await ClubOptions.open(club, registry)
                let earlier = EarlierChanges(club, registry)
                try await earlier.send(to: store)
                for (name, file) in try await NamedNotes.find(Array(rest), in: store) {
                    let note =
                        if let file {
                            try await NamedNotes.current(
                                file, named: name, in: store, during: .move)
                        } else {
                            try await NotePaths.find(name, in: store)
                        }
                    try earlier.requireNone(of: note.path)
                    let changes = OwnChanges(in: club, registry)
                    let file = try await move(note, in: store, club, announcing: changes)
                    await changes.recordMove(of: note, to: file)
                    moved.append(ListedFile(file))
                    rest.removeFirst()
                }
            } catch let error as StoreError {
                guard let outbox = NotesOutbox(club, registry, insteadOf: error) else {
                    throw error
                }
                for name in rest {
                    let note = try await outbox.find(name)
                    moved.append(ListedFile(try await outbox.move(note, to: try target(of: note))))
                }
            }
        }
    }

    private func move(
        _ note: RemoteFile, in store: any RemoteStore, _ club: ClubSettings,
        announcing changes: OwnChanges
    ) async throws -> RemoteFile {
        let target = try target(of: note)
        do throws(StoreError) {
            // The club may announce the new name before it confirms it.
            return try await changes.writing(at: target) { () throws(StoreError) in
                try await store.move(note.path, to: target).requireFile(during: .move)
            }
        } catch {
            if NotesOutbox.isReason(error, toWaitFor: club) { throw error }
            throw CommandFailure(localized("“\(note.name)” was not moved."), error)
        }
    }

    private func target(of note: RemoteFile) throws -> RemotePath {
        let destination = names.last ?? ""
        let target =
            destination.hasSuffix("/")
            ? try NotePaths.folder(destination).appending(note.name)
            : try NotePaths.new(destination, renaming: note.name)
        try NotePaths.requireNotePath(target)
        guard target != note.path else {
            throw CommandFailure(
                localized("“\(note.name)” has that name already. Nothing was changed."))
        }
        return target
    }
}

struct NotesRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove notes.",
        discussion: """
            byteclub notes restore brings them back: from the club if it keeps revisions (Dropbox, Nextcloud, \
            the club on this computer), otherwise from the local copy. While the club cannot \
            be reached, the removal waits: byteclub outbox lists it.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The notes; “.txt” can be omitted.", completion: Proposals.notes)
    var names: [String]

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let reminder = OutboxReminder(club, registry)
        defer { reminder.show() }
        var rest = names[...]
        var failureCount = 0
        try await Output.listing(asJSON: json.isOn) { removed in
            do {
                let store = try await ClubOptions.open(club, registry)
                let copy = LocalCopy(folder: registry.libraryFolder(of: club))
                let earlier = EarlierChanges(club, registry)
                try await earlier.send(to: store)
                for (name, file) in try await NamedNotes.find(names, in: store) {
                    do {
                        let file = try await Self.remove(
                            name, meaning: file, after: earlier, from: store, keepingIn: copy)
                        if let file { removed.append(ListedFile(file)) }
                    } catch let failure as CommandFailure where names.count > 1 {
                        // As rm does: the others are removed.
                        Output.complain(failure)
                        failureCount += 1
                    } catch let error as StoreError where names.count > 1 && error.isAboutFile {
                        Output.complain(CommandFailure(error))
                        failureCount += 1
                    }
                    rest.removeFirst()
                }
            } catch let error as StoreError {
                guard let outbox = NotesOutbox(club, registry, insteadOf: error) else {
                    throw error
                }
                for name in rest {
                    do {
                        let note = try await outbox.find(name)
                        try outbox.remove(note)
                        removed.append(ListedFile(note))
                    } catch let failure as CommandFailure where names.count > 1 {
                        Output.complain(failure)
                        failureCount += 1
                    }
                }
            }
            let paths = Set(removed.map(\.path))
            for draft in DraftStore(folder: registry.drafts(of: club)).waitingDrafts()
            where draft.path.map(paths.contains) == true {
                Output.complain(
                    localized(
                        "What was written in a draft of “\(draft.name)” stays on this computer: n in the app opens it."
                    ))
            }
            if failureCount > 0 { throw ExitCode.failure }
        }
    }

    /// - Parameters:
    ///   - file: The file with that name when the command began; nil to look it up now.
    ///   - earlier: Changes of it that wait are a failure.
    ///   - copy: Local copy to save the text and deletion in; nil skips this.
    /// - Returns: Nil if an earlier attempt has removed it.
    static func remove(
        _ name: String, meaning file: RemoteFile? = nil, after earlier: EarlierChanges? = nil,
        from store: any RemoteStore, keepingIn copy: LocalCopy? = nil
    ) async throws -> RemoteFile? {
        if let file {
            try earlier?.requireNone(of: file.path)
            let current = try await NamedNotes.current(
                file, named: name, in: store, during: .delete)
            return try await remove(current, at: current.path, from: store, keepingIn: copy)
        }
        for path in [try? RemotePath(validating: name), try? NotePaths.new(name)] {
            if let path { try earlier?.requireNone(of: path) }
        }
        return try await NotePaths.with(name, in: store) { path throws(StoreError) in
            let file = try await NamedNotes.there(path, in: store)
            return try await remove(file, at: path, from: store, keepingIn: copy)
        }
    }

    private static func remove(
        _ file: RemoteFile?, at path: RemotePath, from store: any RemoteStore,
        keepingIn copy: LocalCopy?
    ) async throws(StoreError) -> RemoteFile? {
        var file = file
        if let copy, let there = file {
            if try await store.trashStore?.keepsEveryState != true {
                file = try await keep(there, of: store, in: copy)
            } else if there.byteCount <= shownByteLimit {
                // For `notes trash`, which does not ask the club.
                file = (try? await keep(there, of: store, in: copy)) ?? there
            }
        }
        // A missing file may have been removed by an attempt whose response was lost: the store knows.
        // Another file or folder with its name stays.
        try await store.delete(
            path, ifRevision: file?.revision ?? .ofNothing, contentHash: file?.contentHash)
        if let file { try? copy?.recordOwnDeletion(of: file) }
        return file
    }

    /// Larger texts are stored only by a club that keeps revisions.
    private static let shownByteLimit: Int64 = 1 << 20

    /// Only what can be restored is removed. A file larger than the limit is not a note.
    private static func keep(
        _ file: RemoteFile, of store: any RemoteStore, in copy: LocalCopy
    ) async throws(StoreError) -> RemoteFile {
        guard file.byteCount <= store.fetchLimit else { return file }
        let found = try await store.fetch(file.path)
        do {
            try copy.requireDurable()
            try copy.record([.file(found.file)])
            try copy.keep([found])
        } catch {
            throw StoreError(
                .fileUnwritable, during: .delete, at: file.path, detail: "\(error)",
                underlying: error)
        }
        return found.file
    }
}

extension StoreError {
    /// Whether it is about one file, and another may not have it.
    fileprivate var isAboutFile: Bool {
        switch code {
        case .conflict, .notFound, .forbidden, .locked, .refused: true
        default: false
        }
    }
}
