import ArgumentParser
import ClubAccess
import ClubStore
import FoundationEssentials
import ByteClubMessages

struct ByteClubCommand: AsyncParsableCommand, ScreenCommand {
    static let configuration = CommandConfiguration(
        commandName: "byteclub",
        abstract: "Notes and panoramic photos of a small club, in the terminal.",
        discussion: """
            Without a command, the screen opens with two tabs, Notes and PanoPhotos. Press ? there to see every \
            key.
            """,
        version: Version.line,
        subcommands: [
            NotesCommand.self, PhotosCommand.self, TransfersCommand.self, OutboxCommand.self,
            LoginCommand.self, LogoutCommand.self,
            CopyCommand.self, ServeCommand.self, DoctorCommand.self, SettingsCommand.self,
            KeysCommand.self,
        ])

    @OptionGroup var club: ClubOptions
    @OptionGroup var screen: ScreenOptions

    func validate() { screen.keep() }

    func run() async throws {
        guard AppScreen.isPossible else { return try await printClub() }
        try await AppScreen.start(
            clubNamed: club.name, registry: ClubRegistry(), choices: screen.choices)
    }

    /// There is no terminal to draw on: print the club's contents.
    private func printClub() async throws {
        let store = try await club.openForReading()
        let files = ClubFiles(
            try await store.list(.root, recursive: true), includesSubfolders: true)
        let now = Date()
        Output.line(localized("Notes"))
        print(files.notes, folders: files.folders, localized("No notes yet."), now)
        Output.line("")
        Output.line(localized("PanoPhotos"))
        print(files.photos, localized("No photos yet."), now)
        if let complaint = files.complaint { Output.complain(complaint) }
        Output.line("")
        Output.line(
            localized(
                "To open the screen, run byteclub in a terminal. byteclub --help lists the commands."
            ))
    }

    private func print(
        _ files: [RemoteFile], folders: [RemotePath] = [], _ nothing: String, _ now: Date
    ) {
        if files.isEmpty, folders.isEmpty { Output.line("  " + nothing) }
        let top: RemotePath? = folders.isEmpty ? nil : .root
        for line in FileLines.lines(for: files, folders: folders, from: top, now: now) {
            Output.line("  " + line)
        }
    }
}
