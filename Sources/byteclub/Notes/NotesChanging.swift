import ArgumentParser
import ByteClub
import ClubAccess
import ClubLibrary
import ClubStore
import Messages

struct NotesMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Rename a note, or move notes into a folder.",
        discussion: """
            The last name is the note's new one, or a folder when it ends with a slash; a folder that is not \
            there is made. What is there under the new name is never replaced.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: ArgumentHelp("The notes, and then the new name or FOLDER/.", valueName: "name"))
    var names: [String]

    func validate() throws {
        guard names.count >= 2 else { throw ValidationError("A note and its new name are needed.") }
        guard names.count == 2 || names.last?.hasSuffix("/") == true else {
            throw ValidationError("Several notes can be moved into a folder only: FOLDER/")
        }
    }

    func run() async throws {
        let destination = names.last ?? ""
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let store = try await ClubOptions.open(club, registry)
        try await Output.listing(asJSON: json.isOn) { moved in
            for (name, file) in try await NamedNotes.find(names.dropLast(), in: store) {
                let note =
                    if let file {
                        try await NamedNotes.current(
                            file, named: name, in: store, during: .move)
                    } else {
                        try await NotePaths.find(name, in: store)
                    }
                let target =
                    destination.hasSuffix("/")
                    ? try NotePaths.folder(destination).appending(note.name)
                    : try NotePaths.new(destination, renaming: note.name)
                try NotePaths.requireNotePath(target)
                guard target != note.path else {
                    throw CommandFailure(
                        localized("“\(note.name)” has that name already. Nothing was changed."))
                }
                do throws(StoreError) {
                    guard let file = try await store.move(note.path, to: target).file else {
                        continue
                    }
                    await OwnChanges(in: club, registry).recordMove(of: note, to: file)
                    moved.append(ListedFile(file))
                } catch {
                    throw CommandFailure(localized("“\(note.name)” was not moved."), error)
                }
            }
        }
    }
}

struct NotesRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove notes.",
        discussion: """
            byteclub notes restore brings them back: out of the club where it keeps revisions (Dropbox, the \
            club on this computer), else with the text that is kept on this computer.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The notes; “.txt” need not be said.")
    var names: [String]

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let store = try await ClubOptions.open(club, registry)
        let copy = LocalCopy(folder: registry.libraryFolder(of: club))
        try await Output.listing(asJSON: json.isOn) { removed in
            for (name, file) in try await NamedNotes.find(names, in: store) {
                let file = try await Self.remove(
                    name, meaning: file, from: store, keepingIn: copy)
                if let file { removed.append(ListedFile(file)) }
            }
        }
    }

    /// - Parameters:
    ///   - file: What had the name when the command began; nil to look now.
    ///   - copy: Where its text is kept first, and its removal is told; nil to tell nobody.
    /// - Returns: Nil for one that an earlier attempt has removed.
    static func remove(
        _ name: String, meaning file: RemoteFile? = nil, from store: any RemoteStore,
        keepingIn copy: LocalCopy? = nil
    ) async throws -> RemoteFile? {
        if let file {
            let current = try await NamedNotes.current(
                file, named: name, in: store, during: .delete)
            return try await remove(current, at: current.path, from: store, keepingIn: copy)
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
            if store.revisionStore == nil {
                file = try await keep(there, of: store, in: copy)
            } else if there.byteCount <= shownByteLimit {
                // For notes trash, which asks no club.
                file = (try? await keep(there, of: store, in: copy)) ?? there
            }
        }
        // What is not there may have been removed by an attempt whose answer was lost: the store
        // knows. Whatever has the name by now, a folder with many notes in it even, stays.
        try await store.delete(
            path, ifRevision: file?.revision ?? noRevision, contentHash: file?.contentHash)
        if let file { try? copy?.recordOwnDeletion(of: file) }
        return file
    }

    /// A larger text is left to a club that keeps it.
    private static let shownByteLimit: Int64 = 1 << 20

    /// What cannot be brought back is not removed. A larger file than a note can be is nobody's text.
    private static func keep(
        _ file: RemoteFile, of store: any RemoteStore, in copy: LocalCopy
    ) async throws(StoreError) -> RemoteFile {
        guard file.byteCount <= store.fetchLimit else { return file }
        let found = try await store.fetch(file.path)
        do {
            guard copy.isDurable else { throw LibraryError.notDurable }
            try copy.record([.file(found.file)])
            try copy.keep([found])
        } catch {
            throw StoreError(
                .fileUnwritable, during: .delete, at: file.path, detail: "\(error)")
        }
        return found.file
    }

    /// What no file has.
    private static let noRevision = Revision(rawValue: "000000000")
}
