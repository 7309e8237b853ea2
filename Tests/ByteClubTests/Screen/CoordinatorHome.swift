import ClubLibrary
import ClubStore
import ClubStoreTestSupport
import Foundation
import Synchronization
import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The whole app on clubs in memory; settings, drafts, copies and transfers are in a folder of the test's own.
@MainActor final class CoordinatorHome {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("app-\(UUID().uuidString)", isDirectory: true)
    let registry: ClubRegistry
    let clubs = ClubsHere()

    /// - Parameter settings: What is in `config.yml`; nil for no file.
    init(settings: String? = nil) throws {
        registry = ClubRegistry(
            paths: Paths(environment: [
                "HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/config",
                "XDG_STATE_HOME": folder.path + "/state", "XDG_DATA_HOME": folder.path + "/data",
                "XDG_CACHE_HOME": folder.path + "/cache",
            ]))
        if let settings { try write(settings: settings) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The club on this computer.
    var store: InMemoryStore { clubs.store(of: "embedded") }

    func write(settings text: String) throws {
        registry.settingsFile.makeFolder()
        try Data(text.utf8).write(to: registry.settingsFile.url)
    }

    var settingsText: String {
        (try? String(contentsOf: registry.settingsFile.url, encoding: .utf8)) ?? ""
    }

    /// A club on a server, in which somebody is signed in unless it is said otherwise.
    static let work = """
        clubs:
          work:
            kind: webdav
            url: https://nas.example/club
            user: ada

        """

    /// As somebody did before; the password is kept in a file, whatever keyring there is.
    func signIn(to name: String) async throws {
        let keeping = ClubRegistration(
            registry, secrets: Secrets(paths: registry.paths, keyring: nil))
        try await keeping.keep(Data("secret".utf8), for: registry.club(named: name))
    }

    /// One run of the app.
    @MainActor final class Run {
        let coordinator: AppCoordinator
        let screen: AppScreen
        /// Its folder is there as long as the run.
        private let home: CoordinatorHome
        /// The app's parts do not own the application, and may end their work after a test that has failed.
        private static var screens: [AppScreen] = []

        init(_ home: CoordinatorHome, club: ClubSettings, width: Int, height: Int) throws {
            self.home = home
            let (clubs, registry) = (home.clubs, home.registry)
            let settings = registry.settings()
            let means = ClubSession.Means(
                connect: { club in
                    { _ throws(StoreError) in try clubs.open(club.name) }
                },
                carrier: { club in
                    CarrierHere(registry.transfersFolder(of: club), clubs.store(of: club.name))
                })
            var made: AppCoordinator?
            screen = try AppScreen(width: width, height: height) { application in
                let coordinator = AppCoordinator(
                    application: application, club: club, registry: registry,
                    settings: settings, means: means)
                application.delegate = coordinator
                coordinator.start()
                made = coordinator
                return coordinator.tabBarController
            }
            coordinator = try #require(made)
            Self.screens.append(screen)
        }

        /// Types a command after `:`, and runs it.
        func command(_ words: String) async {
            screen.press(":")
            await screen.wait(for: CommandPaletteController.self)
            screen.type(words + "\n")
        }

        /// The first row: the tabs, and how the club is.
        var status: String { screen.lines.first ?? "" }

        /// Ends the run; the process goes on, so it lets go of its drafts as the kernel would.
        func end() async {
            // It would send what waits for the next run.
            coordinator.session.club.leave()
            await coordinator.stop()
            let drafts = coordinator.session.drafts
            for draft in drafts.drafts() { drafts.release(draft.id) }
        }
    }

    /// Starts the app in a club and returns when it has been listed, or has failed.
    func start(
        in name: String? = nil, width: Int = 80, height: Int = 24
    ) async throws -> Run {
        let club = try registry.club(named: name ?? "embedded")
        let run = try Run(self, club: club, width: width, height: height)
        await run.screen.wait { !$0.text.contains("connecting") && !$0.text.contains("Opening") }
        return run
    }
}

/// Clubs in memory, by name. One that cannot be reached keeps its files.
final class ClubsHere: Sendable {
    private let state = Mutex(State())

    private struct State {
        var stores: [String: InMemoryStore] = [:]
        var refusals: [String: StoreError.Code] = [:]
    }

    func store(of name: String) -> InMemoryStore {
        state.withLock { state in
            if let store = state.stores[name] { return store }
            let store = InMemoryStore()
            state.stores[name] = store
            return store
        }
    }

    /// From now on it is not opened, or opened again when `code` is nil.
    func refuse(_ name: String, with code: StoreError.Code?) {
        state.withLock { $0.refusals[name] = code }
    }

    func open(_ name: String) throws(StoreError) -> any RemoteStore {
        if let code = state.withLock({ $0.refusals[name] }) {
            throw StoreError(code, during: .connect)
        }
        return store(of: name)
    }
}
