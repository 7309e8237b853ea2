internal import ClubLibrary
internal import ClubStore
internal import TerminalUI
internal import TextEditing

/// Builds the app's parts, holds them together, and moves from one club to another.
@MainActor final class AppCoordinator {
    let tabBarController: TabBarController

    private unowned let application: Application
    private let book: ClubBook
    private let settings: Settings
    private let activity: ActivityCounter
    private var visit: ClubVisit
    private lazy var login = LoginFlow(application: application, book: book) { [weak self] club in
        self?.open(club)
    }
    /// Whether the person has been told that nobody is signed in.
    private var hasAskedToSignIn = false

    init(
        application: Application, club: ClubSettings, book: ClubBook, settings: Settings
    ) {
        self.application = application
        self.book = book
        self.settings = settings
        activity = ActivityCounter(application)
        visit = ClubVisit(to: club, book: book, settings: settings, activity: activity)
        tabBarController = TabBarController(visit.tabs)
        tabBarController.brand = TextLine("Byte Club", .heading)
        activity.indicator = tabBarController.activityIndicator
        prepare(visit)
    }

    func start() {
        visit.club.start()
        visit.club.addObserver(self)
    }

    func stop() {
        visit.club.stop()
    }

    /// Says in one line how to join another club; for somebody who is here for the first time.
    func welcome() {
        application.showMessage(
            "To join a club on Dropbox, press : and type login.", for: .seconds(20))
    }

    /// Tells why another club than expected is shown.
    func tell(_ notice: String) {
        alert("The club on this computer", notice)
    }

    /// Tells of what is wrong in the settings; the rest counts all the same.
    func warn(of problems: [Settings.Problem]) {
        guard let first = problems.first else { return }
        let whole = "config.yml, \(first.description)"
        let fits = problems.count == 1 && CellWidth.of(whole) < application.screen.size.width - 1
        let others = problems.count == 1 ? "" : " and \(problems.count - 1) more"
        application.showMessage(
            fits
                ? whole
                : "config.yml, line \(first.line)\(others): byteclub settings says what is wrong.",
            .warning, for: .seconds(20))
    }

    /// Shows the clubs there are, and how to join another.
    func chooseClub() {
        login.choose(current: visit.club.settings)
    }

    private func prepare(_ visit: ClubVisit) {
        visit.notes.didReturnToList = { [weak self] in self?.offerNextDraft() }
        visit.club.signInAgain = { [weak self] then in self?.signInAgain(then) }
    }
}

// MARK: - From club to club

extension AppCoordinator {
    /// Leaves the club for another, or comes back to the same after a sign-in.
    private func open(_ club: ClubSettings) {
        hasAskedToSignIn = false
        remember(club)
        guard club != visit.club.settings else { return visit.club.reconnect() }
        visit.leave()
        visit = ClubVisit(to: club, book: book, settings: settings, activity: activity)
        prepare(visit)
        tabBarController.replaceTabs(visit.tabs)
        start()
    }

    private func remember(_ settings: ClubSettings) {
        let book = book
        Task {
            if let sentence = await Self.makeCurrent(settings, in: book) {
                application.showMessage(sentence, .warning)
            }
        }
    }

    /// - Returns: Why it could not be remembered.
    @concurrent private nonisolated static func makeCurrent(
        _ settings: ClubSettings, in book: ClubBook
    ) async -> String? {
        do throws(SettingsError) {
            try book.makeCurrent(settings)
            return nil
        } catch {
            return error.description
        }
    }

    /// Signs in to the club at hand again, above whatever is open.
    private func signInAgain(_ then: @escaping () -> Void) {
        login.signIn(to: visit.club.settings) { [weak self] in
            guard let self else { return }
            hasAskedToSignIn = false
            visit.club.reconnect()
            then()
        }
    }

    private func leaveClub() {
        let settings = visit.club.settings
        let book = book
        _ = tabBarController.startPending { [self] in
            do throws(JoiningError) {
                let outcome = try await Leaving.leave(settings, book: book)
                open(.embedded)
                switch outcome {
                case .done, .wasSignedOut:
                    application.showMessage("Signed out of “\(settings.name)”.", .success)
                case .notRevoked(let error):
                    alert(
                        "Signed out here only",
                        "This computer has forgotten the sign-in to “\(settings.name)”, but the server "
                            + "could not be told. \(ErrorSentence(error, club: .remote).text) To be "
                            + "safe, remove Byte Club among the connected apps of your account.")
                }
            } catch {
                alert("Not signed out", error.description)
            }
        }
    }

    private func alert(_ title: String, _ sentence: String) {
        tabBarController.present(AlertController(title: title, message: TextLine(sentence)))
    }
}

// MARK: - How the club is

extension AppCoordinator: ClubObserver {
    func clubDidChange(_ club: Club) {
        guard club === visit.club else { return }
        let name = club.settings.title
        switch club.connection {
        case .connecting:
            let words = club.settings.needsSignIn ? "connecting to \(name)" : "connecting"
            tabBarController.status = TextLine(words, .secondary)
        case .connected:
            tabBarController.status = TextLine(name + accountWords(club), .secondary)
            offerDrafts()
        case .failed(let error) where error.code == .unauthorized && club.settings.needsSignIn:
            tabBarController.status = TextLine("signed out of \(name)", .warning)
            askToSignIn(error)
        case .failed: tabBarController.status = TextLine("not connected, trying again", .warning)
        }
    }

    /// ` · Ada Lovelace · 1.2 GB of 2.0 GB`.
    private func accountWords(_ club: Club) -> String {
        guard let account = club.account else { return "" }
        var words = " · " + account.displayName
        if let allocated = account.allocatedBytes {
            words +=
                " · \(Wording.byteCount(account.usedBytes)) of \(Wording.byteCount(allocated))"
        }
        return words
    }

    /// Once, and not above what the person is doing: whoever saves a note is asked there.
    private func askToSignIn(_ error: StoreError) {
        guard !hasAskedToSignIn, application.topViewController === tabBarController else { return }
        hasAskedToSignIn = true
        let words = visit.club.sentence(for: error)
        tabBarController.present(
            AlertController(
                title: words.title,
                message: TextLine("\(words.text) Everything you have typed is kept."),
                actions: [
                    AlertAction("Sign in", key: "s") { [weak self] in self?.signInAgain {} },
                    AlertAction("Later", key: "l", kind: .cancel),
                ]))
    }

    private func offerDrafts() {
        let visit = visit
        Task {
            await visit.findDrafts()
            if visit === self.visit { offerNextDraft() }
        }
    }

    /// What earlier runs have left unsaved: one after the other, each when the person is at the lists.
    private func offerNextDraft() {
        guard application.topViewController === tabBarController,
            let draft = visit.takeWaitingDraft()
        else { return }
        let (notes, drafts) = (visit.notes, visit.drafts)
        let name = draft.name.isEmpty ? "a new note" : "“\(draft.name)”"
        notes.present(
            AlertController(
                title: "An unsaved note was kept",
                message: "The text of \(name) did not reach the club last time. It is safe here.",
                actions: [
                    AlertAction("Open it", key: "o") { notes.resume(draft) },
                    AlertAction("Later", key: "l", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                    AlertAction("Delete it", key: "D", kind: .destructive) { [weak self] in
                        drafts.remove(draft.id)
                        self?.offerNextDraft()
                    },
                ]))
    }
}

// MARK: - The program

extension AppCoordinator: ApplicationDelegate {
    func applicationWillTerminate(_ application: Application) {
        visit.notes.keepDraftNow()
        visit.photos.cancelUpload()
    }

    /// What can be typed after `:`.
    func applicationCommands(_ application: Application) -> [PaletteCommand] {
        let current = visit.club.settings
        let busy =
            application.topViewController === tabBarController
            ? nil : "Close what is open first: Esc leads back to the lists."
        var commands = [
            PaletteCommand("login", title: "Join a club, or go to another", unless: busy) {
                [weak self] in self?.chooseClub()
            },
            PaletteCommand(
                "logout",
                title: current.needsSignIn ? "Sign out of “\(current.name)”" : "Sign out",
                unless: current.needsSignIn
                    ? busy : "The club on this computer needs no sign-in."
            ) { [weak self] in self?.leaveClub() },
        ]
        for club in book.read().clubs {
            let reason = club == current ? "This club is open." : busy
            commands.append(
                PaletteCommand(
                    "club \(club.name)", title: "Open the club on \(club.placeName)", unless: reason
                ) { [weak self] in self?.login.enter(club) })
        }
        commands.append(
            PaletteCommand("quit", title: "Leave Byte Club", unless: busy) {
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
