internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Messages
internal import TerminalUI
internal import TextEditing

/// Builds the app's parts, holds them together, and moves from one club to another.
@MainActor final class AppCoordinator {
    let tabBarController: TabBarController

    unowned let application: Application
    let registry: ClubRegistry
    var settings: Settings
    /// What the arguments say of the screen, whatever the file does.
    private let choices: ScreenChoices
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
    /// Which look at the club the person was told after that nobody is signed in: once for each.
    var askedToSignIn: Int?
    /// The skipped files that the person already knows about.
    var toldSkipped: [String] = []
    /// Whether something was said of the changes being sent now.
    private var hasToldOfSync = false
    /// Remembers which club was opened last: one after the other, so that it is the last one.
    var remembering: Task<Void, Never>?

    init(
        application: Application, club: ClubSettings, registry: ClubRegistry, settings: Settings,
        choices: ScreenChoices = ScreenChoices()
    ) {
        // Nothing is on the screen yet that could be held up.
        clubs = registry.list()
        self.application = application
        self.registry = registry
        self.settings = settings
        self.choices = choices
        activity = ActivityCounter(application)
        session = ClubSession(
            to: club, registry: registry, settings: settings,
            memory: memories.memory(in: registry.listFolder(of: club)), activity: activity)
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

    /// - Returns: When all that is to be remembered is.
    func stop() async {
        session.club.stop()
        await memories.finish()
        await remembering?.value
        await session.club.local?.finish()
        session.transfers.stop()
        await session.transfers.finish()
    }

    /// Says in one line how to join another club; for somebody who is here for the first time.
    func welcome() {
        application.showHint(
            [
                localized("To join a club on Dropbox or WebDAV, press : and type login."),
                localized("Another club? Press : and type login."), localized(":login joins"),
            ], for: .seconds(60))
    }

    /// Tells why another club than expected is shown.
    func tell(_ notice: String) {
        alert(localized("The club on this computer"), notice)
    }

    /// Shows what is wrong in the settings; the valid ones apply anyway.
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

    /// Shows the clubs there are, and how to join another.
    func chooseClub() {
        application.dismissHint()
        login.choose(current: session.club.settings)
    }

    func prepare(_ session: ClubSession) {
        session.notes.didReturnToList = { [weak self] in self?.offerNextDraft() }
        session.club.handlers.willRetry = { [weak self] notice in
            self?.application.showMessage(notice.sentence, .warning, for: notice.wait)
        }
        session.club.handlers.didSync = { [weak self, weak session] event in
            guard let self, self.session === session else { return }
            tell(of: event)
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

    /// Goes on with other settings; what is open keeps its own.
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
            tellSkipped()
            offerDrafts()
        case .failed(let error):
            if club.settings.isFixedBySignIn(error) { askToSignIn(error) }
            offerDrafts()
        }
    }

    private func showStatus(of club: Club) {
        tabBarController.status =
            ClubStatusLine(club, moving: session.transfers.wantedItems).line
    }

    /// The strip is there while something moves, and until what has failed was looked at.
    private func showTransfers() {
        strip.items = session.transfers.wantedItems
        strip.failures = session.transfers.unseenFailures
        tabBarController.bottomView = strip.isEmpty ? nil : strip
    }

    /// What became of a change that waited; the usual needs no words but at the end.
    private func tell(of event: SyncEvent) {
        if case .sent(_, let file?) = event { session.memory.see([file]) }
        if let sentence = event.sentence {
            hasToldOfSync = true
            application.showMessage(sentence, .warning, for: .seconds(20))
        }
        guard session.club.waiting.isEmpty else { return }
        // What a person should know is not covered by what was to be expected.
        if !hasToldOfSync {
            application.showMessage(localized("All your changes are in the club."), .success)
        }
        hasToldOfSync = false
    }

    /// Once for all that there is of it.
    private func tellSkipped() {
        guard session.club.skipped != toldSkipped else { return }
        toldSkipped = session.club.skipped
        guard let sentence = SkippedNames.sentence(toldSkipped) else { return }
        application.showMessage(sentence, .warning, for: .seconds(20))
    }
}
