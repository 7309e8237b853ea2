import ByteClub
import ClubAccess
import ByteClubMessages
import ClubStore
import FoundationEssentials
import Glibc
import Synchronization

/// The app on the terminal.
enum AppScreen {
    /// Whether standard input and output are terminals.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Whether the terminal belongs to the app: nothing else may be written to it.
    static let isShown = Atomic(false)

    /// Shows the club with a name, or the one opened last.
    static func start(
        clubNamed name: String?, registry: ClubRegistry, choices: ScreenChoices = ScreenChoices()
    ) async throws -> Never {
        do {
            let club = try registry.club(named: name)
            try await open(club, registry: registry, choices: choices)
        } catch let error as ClubChoiceError {
            // The screen allows choosing another club, and fixing the settings meanwhile.
            guard name == nil else { throw CommandFailure(error.description) }
            try await open(
                .embedded, registry: registry, notice: error.description, choices: choices)
        }
    }

    /// A new folder in place of one that was moved, or whose disk is not mounted, would look like the loss of every note.
    private static func noticeOfNewFolder(_ folder: String) -> String {
        localized(
            "Its folder was not there any more, and a new one was made: \(folder). If you have moved the old one, or its disk is not mounted: quit, put it back in place of the new one, and start again."
        )
    }

    /// Shows a club, and ends the program when the user has quit.
    ///
    /// - Parameters:
    ///   - choosingClub: Shows the list of clubs first.
    ///   - notice: A message to show first.
    static func open(
        _ club: ClubSettings, registry: ClubRegistry, choosingClub: Bool = false,
        notice: String? = nil, choices: ScreenChoices = ScreenChoices()
    ) async throws -> Never {
        CommandFailure.clubInUse.withLock { $0 = club }
        var notices = [notice].compactMap(\.self)
        // Where the list of clubs is shown first, the club's error reports it.
        if club.place == .embedded, !choosingClub, EmbeddedClub.hasLostFolder(at: registry.paths) {
            EmbeddedClub.allowNewFolder(at: registry.paths)
            notices.append(noticeOfNewFolder(registry.paths.clubFolder.path))
        }
        isShown.store(true, ordering: .relaxed)
        let ending: ByteClubApp.Ending
        do {
            ending = try await ByteClubApp.run(
                club, registry: registry, choosingClub: choosingClub,
                notice: notices.isEmpty ? nil : notices.joined(separator: " "), choices: choices)
        } catch let error as StoreError {
            throw error
        } catch {
            throw CommandFailure("\(error)")
        }
        if let sentence = ending.sentence { Output.line(sentence) }
        Glibc.exit(ending.status)
    }
}
