package import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// The app on a terminal: two tabs on one club.
@MainActor public enum ByteClubApp {
    /// How the app has ended.
    package struct Ending: Sendable {
        /// The exit status: 0, or 128 plus the signal's number if a signal ended it.
        package let status: Int32
        /// The transfers that go on in the background.
        package let transferCount: Int

        /// What a person who has quit should know; nil if nothing goes on.
        package var sentence: String? {
            guard status == 0, transferCount > 0 else { return nil }
            return transferCount == 1
                ? localized("A transfer continues in the background: byteclub transfers shows it.")
                : localized(
                    "\(transferCount) transfers continue in the background: byteclub transfers shows them."
                )
        }
    }

    /// Takes over the terminal, shows the club, and returns when the user has quit.
    ///
    /// - Parameters:
    ///   - club: The club to begin with.
    ///   - registry: The list of all clubs.
    ///   - choosingClub: Shows the list of clubs first.
    ///   - notice: A message to show first.
    ///   - choices: The screen options from the arguments.
    /// - Throws: `TerminalError`, a sentence for the user, if there is no terminal to draw on.
    package static func run(
        _ club: ClubSettings, registry: ClubRegistry, choosingClub: Bool = false,
        notice: String? = nil, choices: ScreenChoices = ScreenChoices()
    ) async throws -> Ending {
        let settings = registry.settings()
        let screenSettings = ScreenSettings(settings)
        var configuration = Application.Configuration()
        configuration.logHandler = { ActivityLog.write($0) }
        configuration.reportIdle(toDescriptorIn: "BYTECLUB_TEST_FD")
        // Stopped in the middle of a transaction, it would keep every other Byte Club waiting.
        configuration.stopHandler = { stop in LocalCopy.betweenTransactions { stop() } }
        choices.apply(screenSettings, settings, to: &configuration)
        var options = CursesScreen.Options()
        options.usesMouse = settings.usesMouse
        // A screen for screen readers never contains pixels.
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
            coordinator.announce(notice)
        } else if !screenSettings.problems.isEmpty {
            coordinator.warn(of: screenSettings.problems)
        } else if isFirstStart {
            coordinator.welcome()
        }
        let status = await application.wait()
        let transferCount = coordinator.session.transfers.wantedItems.count
        await coordinator.stop()
        return Ending(status: status, transferCount: transferCount)
    }
}
