import ArgumentParser
import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials
import Synchronization

/// The option that chooses a club.
struct ClubOptions: ParsableArguments {
    @Option(
        name: .customLong("club"),
        help: ArgumentHelp("Club to use (default: the last one opened).", valueName: "name"),
        completion: Proposals.clubs)
    var name: String?

    @Option(
        name: .customLong("log"),
        help: ArgumentHelp(
            "Append the program's actions and requests to a file.", valueName: "file"),
        completion: .file())
    var log: String?

    func validate() throws {
        guard let log else { return }
        do throws(ActivityLog.Failure) {
            try ActivityLog.open(log)
        } catch {
            throw ValidationError("The log \(log) cannot be written: \(error.reason).")
        }
    }

    /// The club's settings. Problems in `config.yml` are reported.
    func choose(_ registry: ClubRegistry) throws -> ClubSettings {
        try Self.choose(name, in: registry)
    }

    static func choose(_ name: String?, in registry: ClubRegistry) throws -> ClubSettings {
        settings(registry)
        return try club(name, in: registry)
    }

    /// The club with a name, or the one opened last.
    static func club(_ name: String?, in registry: ClubRegistry) throws -> ClubSettings {
        do throws(ClubChoiceError) {
            return try registry.club(named: name)
        } catch {
            throw CommandFailure(error.description)
        }
    }

    /// The settings. Problems in them are reported.
    @discardableResult
    static func settings(_ registry: ClubRegistry = ClubRegistry()) -> Settings {
        let settings = registry.settings()
        for problem in ScreenSettings(settings).problems {
            Output.complain("\(registry.settingsFile.url.path), \(problem.description)")
        }
        return settings
    }

    /// For commands that apply to no club, or name theirs in another way: `--club` before them must not be
    /// ignored.
    func checkUnsaid() throws {
        if name != nil { throw ValidationError("--club has no meaning for this command.") }
    }

    /// Opens the club, or its local copy if it is unreachable.
    func openForReading() async throws -> ReachableOrKept {
        let registry = ClubRegistry()
        return try await ReachableOrKept(try choose(registry), registry)
    }

    /// Opens the club.
    ///
    /// - Parameter avoidsMeteredNetworks: Requests fail as offline on a metered network.
    func open(avoidsMeteredNetworks: Bool = false) async throws -> any RemoteStore {
        let registry = ClubRegistry()
        return try await Self.open(
            try choose(registry), registry, avoidsMeteredNetworks: avoidsMeteredNetworks)
    }

    static func open(
        _ club: ClubSettings, _ registry: ClubRegistry, avoidsMeteredNetworks: Bool = false
    ) async throws(StoreError) -> any RemoteStore {
        CommandFailure.clubInUse.withLock { $0 = club }
        return try await ClubConnection.open(
            club, registry: registry, avoidsMeteredNetworks: avoidsMeteredNetworks)
    }
}
