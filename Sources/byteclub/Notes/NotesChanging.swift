import ArgumentParser
import ByteClub
import ClubAccess
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
        let store = try await club.open()
        var moved: [RemoteFile] = []
        for name in names.dropLast() {
            let note = try await NotePaths.find(name, in: store)
            let target =
                destination.hasSuffix("/")
                ? try NotePaths.folder(destination).appending(note.name)
                : try NotePaths.new(destination)
            try NotePaths.requireNotePath(target)
            guard target != note.path else {
                throw CommandFailure(
                    localized("“\(note.name)” has that name already. Nothing was changed."))
            }
            if let file = try await store.move(note.path, to: target).file { moved.append(file) }
        }
        if json.isOn { try Output.json(moved.map(ListedFile.init)) }
    }
}

struct NotesRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove notes.",
        discussion: """
            Where the club keeps revisions (Dropbox, the club on this computer), byteclub notes restore \
            brings them back.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The notes; “.txt” need not be said.")
    var names: [String]

    func run() async throws {
        let store = try await club.open()
        var removed: [ListedFile] = []
        for name in names {
            let file = try await Self.remove(name, from: store)
            if let file { removed.append(ListedFile(file)) }
        }
        if json.isOn { try Output.json(removed) }
    }

    /// - Returns: Nil for one that an earlier attempt has removed.
    static func remove(_ name: String, from store: any RemoteStore) async throws -> RemoteFile? {
        try await NotePaths.with(name) { path throws(StoreError) in
            var file: RemoteFile?
            do throws(StoreError) {
                file = try await store.metadata(of: path)
            } catch {
                guard error.code == .notFound else { throw error }
            }
            // What is not there may have been removed by an attempt whose answer was lost: the store
            // knows. Whatever has the name by now, a folder with many notes in it even, stays.
            try await store.delete(
                path, ifRevision: file?.revision ?? noRevision, contentHash: file?.contentHash)
            return file
        }
    }

    /// What no file has.
    private static let noRevision = Revision(rawValue: "000000000")
}
