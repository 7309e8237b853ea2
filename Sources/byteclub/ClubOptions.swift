import ArgumentParser
import ByteClub
import ClubStore
import FoundationEssentials
import Synchronization

/// Which club a command is about.
struct ClubOptions: ParsableArguments {
    @Option(
        name: .customLong("club"),
        help: ArgumentHelp("The club; the one opened last unless said.", valueName: "name"))
    var name: String?

    /// The club's settings. What is wrong in `config.yml` is told on the way.
    func choose(_ book: ClubBook) throws -> ClubSettings {
        try Self.choose(name, in: book)
    }

    static func choose(_ name: String?, in book: ClubBook) throws -> ClubSettings {
        for problem in book.read().problems {
            Output.complain("\(book.settingsFile.url.path), \(problem.description)")
        }
        do throws(ClubChoiceError) {
            return try book.club(named: name)
        } catch {
            throw CommandFailure(error.description)
        }
    }

    /// Opens the club.
    func open() async throws -> any RemoteStore {
        let book = ClubBook()
        let club = try choose(book)
        CommandFailure.clubInUse.withLock { $0 = club }
        return try await ClubConnection.open(club, book: book)
    }
}
