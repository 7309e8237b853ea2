import ByteClub
import ClubAccess
import ClubStore
import Glibc
import Synchronization

/// The app on the terminal.
enum Screen {
    /// Whether there is a terminal, to draw on and to type at.
    static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

    /// Shows the club that a name means, or the one opened last.
    static func start(
        clubNamed name: String?, registry: ClubRegistry, choices: ScreenChoices = ScreenChoices()
    ) async throws -> Never {
        do {
            try await open(try registry.club(named: name), registry: registry, choices: choices)
        } catch let error as ClubChoiceError {
            // On the screen another club can be chosen, and the settings can be fixed meanwhile.
            guard name == nil else { throw CommandFailure(error.description) }
            try await open(
                .embedded, registry: registry, notice: error.description, choices: choices)
        }
    }

    /// Shows a club and ends the program when the person has left.
    ///
    /// - Parameters:
    ///   - choosingClub: Shows the clubs there are at once.
    ///   - notice: Something to tell the person first.
    static func open(
        _ club: ClubSettings, registry: ClubRegistry, choosingClub: Bool = false,
        notice: String? = nil, choices: ScreenChoices = ScreenChoices()
    ) async throws -> Never {
        CommandFailure.clubInUse.withLock { $0 = club }
        let status: Int32
        do {
            status = try await ByteClubApp.run(
                club, registry: registry, choosingClub: choosingClub, notice: notice,
                choices: choices)
        } catch let error as StoreError {
            throw error
        } catch {
            throw CommandFailure("\(error)")
        }
        Glibc.exit(status)
    }
}
