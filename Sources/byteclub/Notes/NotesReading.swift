import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages
import TextEditing

struct NotesList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the notes.",
        discussion: """
            Folders come first, with a slash; --recursive lists their notes, too. While the club cannot be \
            reached, the local copy is shown. With --json: an array of objects with name, size (bytes), modified (ISO 8601, UTC), revision and path, of notes only. A \
            missing folder is an error, with exit status 1.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Flag(help: "List the notes of all folders in it, too.")
    var recursive = false

    @Argument(
        help: "A folder of the club (default: its top), or a note.",
        completion: Proposals.notesAndFolders)
    var folder: String?

    func run() async throws {
        let name = folder ?? ""
        let club = try await club.openForReading()
        let files = try await Self.files(name, recursive: recursive, of: club)
        try Output.list(
            files.notes, folders: recursive ? [] : files.folders,
            from: recursive ? try NotePaths.folder(name) : nil, of: files, asJSON: json.isOn)
        club.remindOfOutbox()
    }

    /// The notes in a folder, or the note of that name, as in `ls`.
    static func files(
        _ name: String, recursive: Bool = false, of club: any RemoteReading
    ) async throws -> ClubFiles {
        let folder = try NotePaths.folder(name)
        guard !ClubContents.isInPhotosFolder(folder) else {
            throw CommandFailure(
                localized("The photos are in there: byteclub photos ls lists them."))
        }
        do throws(StoreError) {
            return ClubFiles(
                try await club.list(folder, recursive: recursive), in: folder,
                includesSubfolders: recursive)
        } catch {
            guard [.notFound, .wrongKind].contains(error.code), !folder.isRoot else { throw error }
            let note = try? await NotePaths.with(name, in: club, guessesExtension: true) {
                path throws(StoreError) in
                try await club.metadata(of: path)
            }
            guard let note else {
                throw CommandFailure(localized("There is no folder “\(name)” in the club."))
            }
            return ClubFiles(
                Listing(entries: [.file(note)], cursor: Cursor(rawValue: "")),
                in: note.path.parent ?? .root)
        }
    }
}

struct NotesCat: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Write notes to standard output.",
        discussion: """
            While the club cannot be reached, the local copy is shown. A missing note is an error; the others \
            are still written. With --json: an array of objects with name, path, size, modified, revision and text; a text in UTF-16, Latin-1 or \
            Windows-1252 is decoded.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Option(
        help: ArgumentHelp(
            "An earlier revision, as byteclub notes log lists them.", valueName: "revision"))
    var revision: String?

    @Argument(help: "The notes; “.txt” can be omitted.", completion: Proposals.notes)
    var names: [String]

    func validate() throws {
        if revision != nil, names.count != 1 {
            throw ValidationError("--revision is about one note.")
        }
    }

    func run() async throws {
        let reader = try await club.openForReading()
        let fetch = fetcher(in: reader)
        defer { reader.remindOfOutbox() }
        var found: [NoteText] = []
        var failureCount = 0
        for name in names {
            do {
                let note = try await fetch(name)
                if json.isOn {
                    found.append(try Self.json(note))
                } else {
                    Output.content(note.data)
                }
            } catch let failure as CommandFailure where names.count > 1 {
                // As cat does: the others are written.
                Output.complain(failure)
                failureCount += 1
            } catch {
                if !found.isEmpty { try Output.json(found) }
                throw error
            }
        }
        if !found.isEmpty { try Output.json(found) }
        if failureCount > 0 { throw ExitCode.failure }
    }

    private static func json(_ note: (file: RemoteFile, data: Data)) throws -> NoteText {
        guard let text = text(note.data) else {
            throw CommandFailure(
                localized(
                    "“\(note.file.name)” is not text, which JSON needs. Write its bytes without --json."
                ))
        }
        return NoteText(note.file, text: text)
    }

    /// Decoded as on the screen: UTF-8, else UTF-16, Latin-1 or Windows-1252; nil if it is not text.
    private static func text(_ data: Data) -> String? {
        if let text = String(validating: data, as: UTF8.self) { return text }
        let bytes = TextBuffer(utf8: data)
        return TextEncoding.detected(in: bytes)?.decoded(bytes)?.string
    }

    /// A function that fetches a note by name, in the requested revision.
    private func fetcher(
        in club: ReachableOrKept
    ) -> (String) async throws -> (file: RemoteFile, data: Data) {
        guard let revision else {
            return { name in
                try await NotePaths.with(name, in: club, guessesExtension: true) {
                    path throws(StoreError) in
                    try await club.fetch(path)
                }
            }
        }
        return { name in
            do {
                return try await NotePaths.with(name, in: club, guessesExtension: true) {
                    path throws(StoreError) in
                    try await club.fetch(path, revision: Revision(word: revision))
                }
            } catch let error as StoreError where error.code == .badRequest {
                throw CommandFailure(noRevision: revision, of: name)
            } catch let error as StoreError where error.code == .notFound {
                // Of the note, or only of this revision?
                let note = try? await NotePaths.with(name, in: club, guessesExtension: true) {
                    path throws(StoreError) in try await club.metadata(of: path)
                }
                throw note == nil ? error : CommandFailure(noRevision: revision, of: name)
            }
        }
    }
}

/// A note with its text in `cat --json`. These fields must not change.
private struct NoteText: Encodable {
    var note: ListedFile
    var text: String

    enum CodingKeys: String, CodingKey {
        case text
    }

    init(_ file: RemoteFile, text: String) {
        note = ListedFile(file)
        self.text = text
    }

    func encode(to encoder: any Encoder) throws {
        try note.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(text, forKey: .text)
    }
}
