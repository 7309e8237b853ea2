import ByteClub
import ClubAccess
import ClubStore
import Glibc
import Synchronization

/// The app on the terminal.
enum Screen {
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
