internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Creates the app's parts, owns them, and switches between clubs.
@MainActor final class AppCoordinator {
    let tabBarController: TabBarController

    unowned let application: Application
    let registry: ClubRegistry
    var settings: Settings
    /// The screen options from the arguments, which override the settings file.
    private let choices: ScreenChoices
    let means: ClubSession.Means
    let activity: ActivityCounter
    var session: ClubSession
    let memories = ListMemories()
    private let clubs: ClubList
    private lazy var strip = TransferStrip { [weak self] in
        self?.session.photos.files.showTransfers?()
    }
    private(set) lazy var login = LoginFlow(
        application: application, registry: registry, list: clubs
    ) {
        [weak self] in self?.open($0)
    }
    /// The listing generation for which “signed out” was already shown; shown once per generation.
    var askedToSignIn: Int?
    /// The skipped files already reported.
    var shownSkipped: [String] = []
    private lazy var waitingMessage = WaitingMessage(application)
    /// Whether a message about the changes being sent was shown.
    private var hasToldOfSync = false
    /// Saves which club was opened last. Saves run in order, so that the last one wins.
    var remembering: Task<Void, Never>?

    init(
        application: Application, club: ClubSettings, registry: ClubRegistry, settings: Settings,
        choices: ScreenChoices = ScreenChoices(), means: ClubSession.Means? = nil
    ) {
        let means = means ?? ClubSession.Means(registry)
        // No screen is up yet that this could block.
        clubs = registry.list()
        self.application = application
        self.registry = registry
        self.settings = settings
        self.choices = choices
        self.means = means
        activity = ActivityCounter(application)
        session = ClubSession(
            to: club, registry: registry, settings: settings,
            memory: memories.memory(in: registry.listFolder(of: club)), activity: activity,
            means: means)
        tabBarController = TabBarController(session.tabs)
        tabBarController.brand = TextLine("Byte Club", .heading)
        activity.indicator = tabBarController.activityIndicator
        prepare(session)
    }

    func start() {
        showTransfers()
        session.club.start()
        session.club.addObserver(self)
        session.transfers.addObserver(self)
        session.transfers.start()
    }

    /// - Returns: When everything has been saved.
    func stop() async {
        session.club.stop()
        await memories.finish()
        await remembering?.value
        await session.club.local?.finish()
        session.transfers.stop()
        await session.transfers.finish()
    }

    /// Shows in one line how to join another club, for new users.
    func welcome() {
        application.showHint(
            [
                localized("To join a club on Dropbox or WebDAV, press : and type login."),
                localized("Another club? Press : and type login."), localized(":login joins"),
            ], for: .seconds(60))
    }

    /// Says why a different club than expected is shown.
    func announce(_ notice: String) {
        alert(localized("The club on this computer"), notice)
    }

    /// Shows the problems in the settings; the valid ones apply anyway.
    func warn(of problems: [Settings.Problem]) {
        guard let first = problems.first else { return }
        let whole = localized("config.yml, \(first.description)")
        let fits = problems.count == 1 && CellWidth.of(whole) < application.screen.size.width - 1
        let others = problems.count == 1 ? "" : localized(" and \(problems.count - 1) more")
        application.showMessage(
            fits
                ? whole
                : localized(
                    "config.yml, line \(first.line)\(others): byteclub settings says what is wrong."
                ),
            .warning, for: .seconds(20))
    }

    /// Lists the clubs and the ways to join another.
    func chooseClub() {
        application.dismissHint()
        login.choose(current: session.club.settings)
    }

    func prepare(_ session: ClubSession) {
        session.notes.didReturnToList = { [weak self] in self?.offerNextDraft() }
        session.club.handlers.willRetry = { [weak self] in self?.waitingMessage.show($0) }
        session.club.handlers.didStopWaiting = { [weak self] in self?.waitingMessage.end() }
        session.club.handlers.didSync = { [weak self, weak session] event in
            guard let self, self.session === session else { return }
            announce(event)
        }
        session.club.handlers.didNotice = { [weak self] in
            self?.application.showMessage($0, .warning, for: .seconds(20))
        }
        session.club.handlers.signInAgain = { [weak self, weak session] then in
            guard let session else { return }
            self?.signInAgain(to: session, then)
        }
    }
}

// MARK: - Settings

extension AppCoordinator {
    func showSettings() {
        application.dismissHint()
        let controller = SettingsViewController(registry.settingsFile, settings)
        controller.didRead = { [weak self] in self?.adopt($0) }
        controller.chooseClub = { [weak self] in self?.chooseClub() }
        tabBarController.present(controller)
    }

    /// Applies changed settings; open notes keep theirs.
    private func adopt(_ settings: Settings) {
        self.settings = settings
        choices.apply(ScreenSettings(settings), settings, to: &application.configuration)
        application.adoptTheme()
        session.notes.editorSettings = settings.editor
        session.photos.transferSettings = settings.transfers
    }
}

// MARK: - How the club is

extension AppCoordinator: TransferObserver {
    func transfersDidChange(_ center: TransferCenter) {
        guard center === session.transfers else { return }
        showTransfers()
        showStatus(of: session.club)
    }
}

extension AppCoordinator: ClubObserver {
    func clubDidChange(_ club: Club) {
        guard club === session.club else { return }
        showStatus(of: club)
        switch club.connection {
        case .connecting: break
        case .connected:
            ProcessMemory.didStart()
            showSkipped()
            offerDrafts()
        case .failed(let error):
            if club.settings.isFixedBySignIn(error) { askToSignIn(error) }
            offerDrafts()
        }
    }

    private func showStatus(of club: Club) {
        let lines = ClubStatusLine(club, moving: session.transfers.batch).lines
        tabBarController.status = lines[0]
        tabBarController.shorterStatuses = Array(lines.dropFirst())
    }

    /// The strip is visible while a transfer is active or paused, and until failed ones have been viewed.
    private func showTransfers() {
        strip.batch = session.transfers.batch
        strip.failures = session.transfers.unseenFailures
        strip.paused = session.transfers.items.filter { $0.state == .paused }
        tabBarController.bottomView = strip.isEmpty ? nil : strip
    }

    /// Reports the result of a queued change. The usual result is reported only at the end.
    private func announce(_ event: SyncEvent) {
        if case .sent(_, let file?) = event { session.memory.see([file]) }
        if let sentence = event.sentence {
            hasToldOfSync = true
            application.showMessage(sentence, .warning, for: .seconds(20))
        }
        guard session.club.waiting.isEmpty else { return }
        // Do not replace an important message with a routine one.
        if !hasToldOfSync {
            application.showMessage(localized("All your changes are in the club."), .success)
        }
        hasToldOfSync = false
    }

    /// Reports skipped files once for each set of them.
    private func showSkipped() {
        guard session.club.skipped != shownSkipped else { return }
        shownSkipped = session.club.skipped
        guard let sentence = SkippedNames.sentence(shownSkipped) else { return }
        application.showMessage(sentence, .warning, for: .seconds(20))
    }
}
