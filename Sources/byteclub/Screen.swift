import ByteClub
import ClubAccess
import ClubStore
import Glibc
import Synchronization

/// The app on the terminal.
enum Screen {
    /// Whether standard input and output are terminals.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Whether the terminal belongs to the app: nothing else may be written to it.
    static let isShown = Atomic(false)

    /// Shows the club with a name, or the one opened last.
    static func start(
        clubNamed name: String?, registry: ClubRegistry, choices: ScreenChoices = ScreenChoices()
    ) async throws -> Never {
        do {
            try await open(try registry.club(named: name), registry: registry, choices: choices)
        } catch let error as ClubChoiceError {
            // The screen allows choosing another club, and fixing the settings meanwhile.
            guard name == nil else { throw CommandFailure(error.description) }
            try await open(
                .embedded, registry: registry, notice: error.description, choices: choices)
        }
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
        isShown.store(true, ordering: .relaxed)
        let ending: ByteClubApp.Ending
        do {
            ending = try await ByteClubApp.run(
                club, registry: registry, choosingClub: choosingClub, notice: notice,
                choices: choices)
        } catch let error as StoreError {
            throw error
        } catch {
            throw CommandFailure("\(error)")
        }
        if let sentence = ending.sentence { Output.line(sentence) }
        Glibc.exit(ending.status)
    }
}
