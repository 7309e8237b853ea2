import ByteClub
import ClubStore
import Glibc
import Synchronization

/// The app on the terminal.
enum Screen {
    /// Shows a club and ends the program when the person has left.
    ///
    /// - Parameter choosingClub: Shows the clubs there are at once.
    static func open(
        _ club: ClubSettings, book: ClubBook, choosingClub: Bool = false
    ) async throws -> Never {
        CommandFailure.clubInUse.withLock { $0 = club }
        let status: Int32
        do {
            status = try await ByteClubApp.run(club, book: book, choosingClub: choosingClub)
        } catch let error as StoreError {
            throw error
        } catch {
            throw CommandFailure("\(error)")
        }
        Glibc.exit(status)
    }
}
