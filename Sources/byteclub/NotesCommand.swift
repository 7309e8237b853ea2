import ArgumentParser
import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc

struct NotesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes", abstract: "List, read, write and remove notes.",
        subcommands: [List.self, Cat.self, New.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the notes.",
            discussion: """
                With --json: an array of objects with name, size (bytes), modified (ISO 8601, UTC), \
                revision and path.
                """)

        @OptionGroup var club: ClubOptions

        @Flag(help: "Write JSON.")
        var json = false

        func run() async throws {
            let store = try await club.open()
            let files = ClubFiles(try await store.list(.root, recursive: false))
            try Output.list(files.notes, of: files, asJSON: json)
        }
    }

    struct Cat: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "cat", abstract: "Write notes to standard output.")

        @OptionGroup var club: ClubOptions

        @Argument(help: "The notes; “.txt” need not be said.")
        var names: [String]

        func run() async throws {
            let store = try await club.open()
            for name in names {
                let found = try await withNote(name) { path throws(StoreError) in
                    try await store.fetch(path)
                }
                Output.content(found.data)
            }
        }
    }

    struct New: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "new", abstract: "Write a new note.",
            discussion: """
                A note of this name that is there already is never replaced. A note has 16 MiB at most. \
                A text that cannot be sent is kept as a draft, which the app offers at its next start.
                """)

        @OptionGroup var club: ClubOptions

        @Argument(help: "The note's name; “.txt” is added when it has no extension.")
        var name: String

        @Argument(
            help: ArgumentHelp(
                "Take the text from standard input. Without it the note is empty.", valueName: "-"))
        var source: String?

        func validate() throws {
            if let source, source != "-" {
                throw ValidationError(
                    "The text of a note comes from standard input: byteclub notes new NAME -")
            }
        }

        func run() async throws {
            let path = try notePath(name)
            let registry = ClubRegistry()
            let club = try club.choose(registry)
            // Before the club is asked: what comes through a pipe comes once.
            guard let text = source == nil ? Data() : try readStandardInput(limit: Self.byteLimit)
            else {
                throw CommandFailure("A note may have 16 MiB at most. Nothing was written.")
            }
            let kept = text.isEmpty ? nil : keep(text, of: club, registry)
            do {
                let store = try await ClubOptions.open(club, registry)
                do throws(StoreError) {
                    _ = try await store.put(text, at: path, mode: .create)
                } catch {
                    guard case .conflict = error.code else { throw error }
                    let taken = "There is a note “\(path.name)” already."
                    // The very same text is safe there.
                    guard let there = try? await store.fetch(path), there.data == text else {
                        throw failure(taken, kept)
                    }
                    try? kept?.get().discard()
                    throw CommandFailure(taken + " Nothing was changed.")
                }
                try? kept?.get().discard()
            } catch let error as StoreError {
                throw failure(CommandFailure(error).sentence, kept)
            }
        }

        private static let byteLimit = 16 << 20

        private func keep(
            _ text: Data, of club: ClubSettings, _ registry: ClubRegistry
        ) -> Result<UnsentNote, any Error> {
            Result { try UnsentNote(text, named: name, for: club, in: registry) }
        }

        /// What happened, and what has become of the text.
        private func failure(
            _ sentence: String, _ kept: Result<UnsentNote, any Error>?
        ) -> CommandFailure {
            switch kept {
            case nil: return CommandFailure(sentence)
            case .success(let note):
                note.leave()
                return CommandFailure(
                    sentence
                        + " The text is kept as a draft: byteclub offers it at its next start.")
            case .failure(let error):
                return CommandFailure(
                    sentence + " The text could not be kept as a draft either: \(error)")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rm", abstract: "Remove notes.")

        @OptionGroup var club: ClubOptions

        @Argument(help: "The notes; “.txt” need not be said.")
        var names: [String]

        func run() async throws {
            let store = try await club.open()
            for name in names {
                try await withNote(name) { path throws(StoreError) in
                    // A folder has many notes in it: this is for one. (What is not there may have been
                    // removed by an attempt whose answer was lost: the store knows.)
                    do throws(StoreError) {
                        _ = try await store.metadata(of: path)
                    } catch {
                        guard error.code == .notFound else { throw error }
                    }
                    try await store.delete(path)
                }
            }
        }
    }
}

/// The path of the note that a name makes.
private func notePath(_ name: String) throws -> RemotePath {
    do {
        return try RemotePath.root.appending(newName: try NoteName(name).fileName)
    } catch let refusal as NoteName.Refusal {
        throw CommandFailure(refusal.description)
    }
}

/// Does something with the note of this very name, or, when there is none, with the one
/// whose name has the extension too.
private func withNote<Value>(
    _ name: String, _ body: (RemotePath) async throws(StoreError) -> Value
) async throws -> Value {
    do throws(StoreError) {
        return try await body(try RemotePath.root.appending(name))
    } catch {
        guard error.code == .notFound || error.code == .nameNotAllowed else { throw error }
    }
    do {
        return try await body(try notePath(name))
    } catch let error as StoreError where error.code == .notFound {
        throw CommandFailure("There is no note “\(name)” in the club.")
    }
}

/// Everything on standard input; nil when it is more than the limit.
private func readStandardInput(limit: Int) throws -> Data? {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count == 0 { return data }
        if count < 0 {
            if errno == EINTR { continue }
            let reason = String(cString: strerror(errno))
            throw CommandFailure(
                "Standard input could not be read: \(reason). Nothing was written.")
        }
        data.append(contentsOf: buffer[..<count])
        if data.count > limit { return nil }
    }
}
