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

    private unowned let application: Application
    private let registry: ClubRegistry
    private var settings: Settings
    /// What the arguments say of the screen, whatever the file does.
    private let choices: ScreenChoices
    private let activity: ActivityCounter
    private var session: ClubSession
    private let memories = ListMemories()
    private let clubs: ClubList
    private lazy var strip = TransferStrip { [weak self] in
        self?.session.photos.files.showTransfers?()
    }
    private lazy var login = LoginFlow(application: application, registry: registry, list: clubs) {
        [weak self] in self?.open($0)
    }
    /// Which look at the club the person was told after that nobody is signed in: once for each.
    private var askedToSignIn: Int?
    /// The skipped files that the person already knows about.
    private var toldSkipped: [String] = []
    /// Whether something was said of the changes being sent now.
    private var hasToldOfSync = false
    /// Remembers which club was opened last: one after the other, so that it is the last one.
    private var remembering: Task<Void, Never>?

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

    private func prepare(_ session: ClubSession) {
        session.notes.didReturnToList = { [weak self] in self?.offerNextDraft() }
        session.club.willRetry = { [weak self] notice in
            self?.application.showMessage(notice.sentence, .warning, for: notice.wait)
        }
        session.club.didSync = { [weak self, weak session] event in
            guard let self, self.session === session else { return }
            tell(of: event)
        }
        session.club.didNotice = { [weak self] in
            self?.application.showMessage($0, .warning, for: .seconds(20))
        }
        session.club.signInAgain = { [weak self, weak session] then in
            guard let session else { return }
            self?.signInAgain(to: session, then)
        }
    }
}

// MARK: - From club to club

extension AppCoordinator {
    /// Leaves the club for another, or comes back to the same after a sign-in.
    private func open(_ club: ClubSettings) {
        guard !club.isSameClub(as: session.club.settings) else {
            remember(club)
            return session.reconnect(as: club)
        }
        // What somebody has open is not taken away under their hands.
        guard application.topViewController === tabBarController else {
            return application.showMessage(
                localized("Close what is open, then :club \(club.name) leads there."), .warning)
        }
        askedToSignIn = nil
        toldSkipped = []
        remember(club)
        session.leave()
        session = ClubSession(
            to: club, registry: registry, settings: settings,
            memory: memories.memory(in: registry.listFolder(of: club)), activity: activity)
        prepare(session)
        tabBarController.replaceTabs(session.tabs)
        start()
    }

    private func remember(_ settings: ClubSettings) {
        let registry = registry
        let before = remembering
        remembering = tabBarController.startPending { [application] in
            await before?.value
            if let sentence = await Self.makeCurrent(settings, in: registry) {
                application.showMessage(sentence, .warning)
            }
        }
    }

    /// - Returns: Why it could not be remembered.
    @concurrent private nonisolated static func makeCurrent(
        _ settings: ClubSettings, in registry: ClubRegistry
    ) async -> String? {
        do throws(SettingsError) {
            try registry.makeCurrent(settings)
            return nil
        } catch {
            return error.description
        }
    }

    /// Signs in to a club again, above whatever is open, which stays as it is.
    private func signInAgain(to session: ClubSession, _ then: @escaping () -> Void) {
        login.signIn(to: session.club.settings) { [weak self, weak session] joined in
            // The person may have gone to another club meanwhile.
            guard let self, let session, session === self.session else { return }
            session.reconnect(as: joined)
            then()
        }
    }

    private func leaveClub() {
        let settings = session.club.settings
        let registry = registry
        tabBarController.present(
            WaitingViewController(
                title: localized("Sign out"),
                sentence: localized("Signing out of “\(settings.name)”…")
            ) { [weak self] in
                do throws(SignInError) {
                    let outcome = try await SignOut.signOut(settings, registry: registry)
                    return { [weak self] _ in self?.didLeave(settings, outcome) }
                } catch {
                    return { [weak self] wasGivenUp in
                        guard let self else { return }
                        guard wasGivenUp else {
                            return alert(localized("Not signed out"), error.description)
                        }
                        application.showMessage(
                            localized(
                                "Not signed out here. The server may know of it already: then you are asked to "
                                    + "sign in again."), .warning)
                    }
                }
            })
    }

    /// Nobody is signed in any more, even where it was to be stopped.
    private func didLeave(_ settings: ClubSettings, _ outcome: SignOut.Outcome) {
        let isAtLists = application.topViewController === tabBarController
        if session.club.settings.isSameClub(as: settings) {
            if isAtLists { open(.embedded) } else { session.club.reconnect() }
        }
        guard case .notRevoked(let error) = outcome else {
            return application.showMessage(localized("Signed out of “\(settings.name)”."), .success)
        }
        let title = localized("Signed out here only")
        guard isAtLists else { return application.showMessage(title + ".", .warning) }
        alert(
            title,
            localized(
                "This computer has forgotten the sign-in to “\(settings.name)”, but the server "
                    + "could not be told. \(ErrorMessage(error, club: .remote).text) To be "
                    + "safe, remove Byte Club among the connected apps of your account."))
    }

    private func alert(_ title: String, _ sentence: String) {
        tabBarController.present(AlertController(title: title, message: TextLine(sentence)))
    }
}

// MARK: - Settings

extension AppCoordinator {
    private func showSettings() {
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

    /// The strip is there while something moves, and until what has failed was looked at.
    private func showTransfers() {
        strip.items = session.transfers.wantedItems
        strip.failures = session.transfers.unseenFailures
        tabBarController.bottomView = strip.isEmpty ? nil : strip
    }

    private func showStatus(of club: Club) {
        let name = club.settings.title
        tabBarController.status =
            switch club.connection {
            case .connecting:
                TextLine(
                    club.settings.needsSignIn
                        ? localized("connecting to \(name)") : localized("connecting"), .secondary)
            case .connected:
                TextLine(
                    name + accountWords(club) + waitingWords(club) + transferWords, .secondary)
            case .failed(let error) where club.settings.isFixedBySignIn(error):
                TextLine(
                    (error.code == .untrusted
                        ? localized("cannot verify ") : localized("signed out of ")) + name,
                    .warning)
            case .failed:
                TextLine(
                    localized("\(name) · offline") + waitingWords(club) + transferWords, .warning)
            }
    }

    /// ` · 3 changes waiting`.
    private func waitingWords(_ club: Club) -> String {
        let refused = club.waiting.count { $0.problem != nil }
        if refused > 0 { return localized(" · \(Self.changes(refused)) refused, see :outbox") }
        guard !club.waiting.isEmpty else { return "" }
        return localized(" · \(Self.changes(club.waiting.count)) waiting")
    }

    /// ` · ↓ 45 %`, ` · ↑↓ 3, 45 %`: how far all that moves is together.
    private var transferWords: String {
        let wanted = session.transfers.wantedItems
        guard !wanted.isEmpty else { return "" }
        let arrows = Set(wanted.map(\.arrow)).sorted().joined()
        let count = wanted.count > 1 ? " \(wanted.count)," : ""
        return " · \(arrows)\(count)" + (Self.percent(of: wanted).map { " \($0) %" } ?? " …")
    }

    /// Nil while no size is known; 100 only when all is confirmed.
    nonisolated static func percent(of wanted: [TransferItem]) -> Int? {
        // Sizes are a server's: their sum may be larger than any integer.
        let total = wanted.reduce(0) { $0 + Double($1.status.totalByteCount) }
        let moved = wanted.reduce(0) { $0 + Double($1.status.byteCount) }
        return total > 0 ? max(0, min(99, Int(min(1, moved / total) * 100))) : nil
    }

    private static func changes(_ count: Int) -> String {
        count == 1 ? localized("1 change") : localized("\(count) changes")
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

    /// ` · Ada Lovelace · 1.2 GB of 2.0 GB`.
    private func accountWords(_ club: Club) -> String {
        guard let account = club.account else { return "" }
        var words = " · " + account.displayName
        if let allocated = account.allocatedBytes {
            words +=
                localized(
                    " · \(Wording.byteCount(account.usedBytes)) of \(Wording.byteCount(allocated))")
        }
        return words
    }

    /// Once for each time the person looks, and not above what the person is doing: saving a note
    /// asks there.
    private func askToSignIn(_ error: StoreError) {
        guard askedToSignIn != session.club.refreshCount,
            application.topViewController === tabBarController
        else { return }
        askedToSignIn = session.club.refreshCount
        let words = session.club.sentence(for: error)
        tabBarController.present(
            AlertController(
                title: words.title,
                message: TextLine(localized("\(words.text) Everything you have typed is kept.")),
                actions: [
                    AlertAction(localized("Sign in"), key: "s") { [session] in
                        session.club.signInAgain? {}
                    },
                    AlertAction(localized("Later"), key: "l", kind: .cancel),
                ]))
    }

    private func offerDrafts() {
        let session = session
        Task {
            await session.findDrafts()
            if session === self.session { offerNextDraft() }
        }
    }

    /// What earlier runs have left unsaved: one after the other, each when the person is at the lists.
    private func offerNextDraft() {
        guard application.topViewController === tabBarController,
            let draft = session.takeWaitingDraft()
        else { return }
        let (notes, drafts) = (session.notes, session.drafts)
        let name = draft.name.isEmpty ? localized("a new note") : "“\(draft.name)”"
        notes.present(
            AlertController(
                title: localized("An unsaved note was kept"),
                message: TextLine(
                    localized(
                        "The text of \(name) did not reach the club last time. It is safe here: \(Self.summary(of: draft))."
                    )),
                actions: [
                    AlertAction(localized("Open it"), key: "o") { notes.resume(draft) },
                    AlertAction(localized("Later"), key: "l", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                    AlertAction(localized("Delete it…"), key: "D", kind: .destructive) {
                        [weak self] in
                        self?.askToDelete(draft, named: name, from: drafts)
                    },
                ]))
    }

    /// It may be the only copy there is.
    private func askToDelete(_ draft: Draft, named name: String, from drafts: DraftStore) {
        session.notes.present(
            AlertController(
                title: localized("Delete this text?"),
                message: TextLine(
                    localized(
                        "The text of \(name) is nowhere else, and cannot be brought back: \(Self.summary(of: draft))."
                    )),
                actions: [
                    AlertAction(localized("Keep it"), key: "k", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                    AlertAction(localized("Delete"), key: "D", kind: .destructive) { [weak self] in
                        drafts.remove(draft.id)
                        self?.application.showMessage(localized("The unsaved text was deleted."))
                        self?.offerNextDraft()
                    },
                ]))
    }

    /// `“Dear all, we meet…”, 1.2 KB, 3 h ago`.
    private static func summary(of draft: Draft) -> String {
        let start = String(decoding: draft.text.prefix(400), as: UTF8.self)
        let line = start.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) }
        let words =
            line.map { $0.count > 40 ? "“\($0.prefix(39))…”" : "“\($0)”" } ?? localized("empty")
        let age = Wording.age(of: draft.savedAt, at: Date())
        return "\(words), \(Wording.byteCount(Int64(draft.text.count))), \(age)"
    }
}

// MARK: - The program

extension AppCoordinator: ApplicationDelegate {
    func applicationWillTerminate(_ application: Application) {
        session.notes.keepDraftNow()
        session.drafts.removeAbandoned()
    }

    /// What can be typed after `:`.
    func applicationCommands(_ application: Application) -> [PaletteCommand] {
        let current = session.club.settings
        // What is shown now is from the last look; what has changed since follows.
        login.look()
        let busy =
            application.contextViewController === tabBarController
            ? nil : localized("Close what is open first: Esc leads back to the lists.")
        var commands = [
            PaletteCommand("login", title: localized("Join a club, or go to another"), unless: busy)
            {
                [weak self] in self?.chooseClub()
            },
            PaletteCommand(
                "logout",
                title: current.needsSignIn
                    ? localized("Sign out of “\(current.name)”") : localized("Sign out"),
                unless: current.needsSignIn
                    ? busy : localized("The club on this computer needs no sign-in.")
            ) { [weak self] in self?.leaveClub() },
        ]
        commands.append(
            PaletteCommand("transfers", title: localized("Uploads and downloads"), unless: busy) {
                [weak self] in
                guard let self else { return }
                tabBarController.present(TransfersViewController(session.transfers))
            })
        commands.append(
            PaletteCommand(
                "settings", title: localized("Theme, editor, transfers and what else can be set"),
                unless: busy
            ) { [weak self] in self?.showSettings() })
        let waiting = session.club.waiting.count
        commands.append(
            PaletteCommand(
                "outbox",
                title: waiting == 0
                    ? localized("What waits for the club: nothing")
                    : localized("What waits for the club: \(Self.changes(waiting))"),
                unless: busy
            ) { [weak self] in
                guard let self else { return }
                tabBarController.present(OutboxViewController(club: session.club))
            })
        commands.append(
            PaletteCommand(
                "trash", title: localized("Deleted notes and photos"), unless: busy
            ) { [weak self] in
                guard let self else { return }
                tabBarController.present(
                    TrashViewController(club: session.club, memory: session.memory))
            })
        for club in login.list.clubs {
            let reason = club == current ? localized("This club is open.") : busy
            commands.append(
                PaletteCommand(
                    "club \(club.name)", title: localized("Open the club on \(club.placeName)"),
                    unless: reason
                ) { [weak self] in self?.login.enter(club) })
        }
        commands.append(
            PaletteCommand("quit", title: localized("Leave Byte Club"), unless: busy) {
                application.requestTermination()
            })
        return commands
    }
}

/// Counts what is in flight: turns the wheel, and holds back the idle line.
@MainActor private final class ActivityCounter: ActivityCounting {
    weak var indicator: ActivityIndicatorView?
    private unowned let application: Application

    init(_ application: Application) {
        self.application = application
    }

    func begin() {
        application.beginActivity()
        indicator?.start()
    }

    func end() {
        indicator?.stop()
        application.endActivity()
    }
}
