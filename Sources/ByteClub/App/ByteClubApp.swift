package import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import TerminalUI

/// The app on a terminal: two tabs on one club.
@MainActor public enum ByteClubApp {
    /// Takes the terminal, shows the club and returns when the person has left.
    ///
    /// - Parameters:
    ///   - club: The club to begin with.
    ///   - registry: Where the others are.
    ///   - choosingClub: Shows all of them at once.
    ///   - notice: Something to tell the person first.
    ///   - choices: What the arguments say of the screen.
    /// - Returns: The exit status: 0, or 128 and the signal's number when a signal ended it.
    /// - Throws: `TerminalError`, a sentence for the person, when there is no terminal to draw on.
    package static func run(
        _ club: ClubSettings, registry: ClubRegistry, choosingClub: Bool = false,
        notice: String? = nil, choices: ScreenChoices = ScreenChoices()
    ) async throws -> Int32 {
        let settings = registry.settings()
        let screenSettings = ScreenSettings(settings)
        var configuration = Application.Configuration()
        configuration.logHandler = { ActivityLog.write($0) }
        configuration.reportIdle(toDescriptorIn: "BYTECLUB_TEST_FD")
        choices.apply(screenSettings, settings, to: &configuration)
        var options = CursesScreen.Options()
        options.usesMouse = settings.usesMouse
        // What is read aloud is never sent as pixels.
        options.pictures = configuration.isPlain ? .blocks : screenSettings.pictures
        let application = Application(
            screen: CursesScreen(options: options), configuration: configuration)
        let coordinator = AppCoordinator(
            application: application, club: club, registry: registry, settings: settings,
            choices: choices)
        application.delegate = coordinator
        let isFirstStart =
            club.place == .embedded
            && !FileManager.default.fileExists(atPath: registry.paths.clubFolder.path)
        coordinator.start()
        do {
            try application.start(root: coordinator.tabBarController)
        } catch {
            await coordinator.stop()
            throw error
        }
        if choosingClub {
            coordinator.chooseClub()
        } else if let notice {
            coordinator.tell(notice)
        } else if !screenSettings.problems.isEmpty {
            coordinator.warn(of: screenSettings.problems)
        } else if isFirstStart {
            coordinator.welcome()
        }
        let status = await application.wait()
        await coordinator.stop()
        return status
    }
}
