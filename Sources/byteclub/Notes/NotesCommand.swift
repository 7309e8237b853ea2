import ArgumentParser

struct NotesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes", abstract: "List, read, write, find and restore notes.",
        discussion: """
            A note in a folder is named by its path: drafts/plan. “.txt” can be omitted. With --json each \
            command writes JSON to standard output: an array for ls, cat, mv, rm, search, log and trash, an object \
            for the others. A note is an object with name, path, size (bytes), modified (ISO 8601, UTC) and \
            revision. The exit status is 0, 1 when something failed or was not found, 2 for bad usage.
            """,
        subcommands: [
            NotesList.self, NotesCat.self, NotesNew.self, NotesEdit.self, NotesMove.self,
            NotesRemove.self, NotesSearch.self, NotesLog.self, NotesTrash.self,
            NotesRestore.self,
        ])
}

/// The flag of all listing commands.
struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Write JSON.")
    var isOn = false
}
