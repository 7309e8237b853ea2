internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// The dialogs that lead into another club, one at a time; Esc goes back.
@MainActor final class LoginFlow {
    unowned let application: Application
    let registry: ClubRegistry
    /// The clubs when ``look()`` last completed.
    private(set) var list: ClubList
    /// Opens a club that needs no sign-in.
    private let open: (ClubSettings) -> Void
    private weak var chooser: ClubChooserViewController?
    private var looking: Task<Void, Never>?

    init(
        application: Application, registry: ClubRegistry, list: ClubList,
        open: @escaping (ClubSettings) -> Void
    ) {
        self.application = application
        self.registry = registry
        self.list = list
        self.open = open
    }

    /// Reads the clubs again: the user may have changed `config.yml` or signed in with another program. The
    /// open dialog is updated.
    func look() {
        let before = looking
        let registry = registry
        looking = application.topViewController?.startPending { [weak self] in
            await before?.value
            let list = await Self.read(registry)
            guard let self, list != self.list else { return }
            self.list = list
            chooser?.show(list)
            application.reloadCommandPalette()
        }
    }

    @concurrent private nonisolated static func read(_ registry: ClubRegistry) async -> ClubList {
        registry.list()
    }

    /// Lists the clubs and the ways to join another.
    func choose(current: ClubSettings) {
        let chooser = ClubChooserViewController(list, current: current) { [weak self] choice in
            guard let self, isClub(choice) || requireWritableClubs() == .writable else { return }
            let back = { [weak self] () -> Void in self?.choose(current: current) }
            switch choice {
            case .club(let club): enter(club)
            case .joinDropbox: joinDropbox(back: back, then: open)
            case .joinWebDAV: joinWebDAV(back: back, then: open)
            }
        }
        self.chooser = chooser
        present(chooser)
        look()
    }

    private func isClub(_ choice: ClubChooserViewController.Choice) -> Bool {
        if case .club = choice { true } else { false }
    }

    /// Opens a club, signing in first if necessary.
    func enter(_ club: ClubSettings) {
        guard !list.isSignedIn(to: club) else { return open(club) }
        signIn(to: club, then: open)
    }

    /// Signs in to a club again.
    ///
    /// - Parameter then: Called on success, with the club's current settings: the user may have accepted
    ///   another key of its server.
    func signIn(to club: ClubSettings, then: @escaping (ClubSettings) -> Void) {
        guard !club.needsSignIn || requireWritableClubs() == .writable else { return }
        switch club.place {
        case .embedded: then(club)
        case .dropbox(let settings): signIn(settings, named: club.name, back: nil, then: then)
        case .webdav(let settings):
            askPassword(WebDAVEntry(settings: settings, name: club.name, back: nil, then: then))
        }
    }

    /// For a sign-in that completed just before it was cancelled.
    static func sentence(joinedLate club: ClubSettings) -> String {
        localized("You are signed in to “\(club.name)”: it could not be stopped any more.")
    }

    // MARK: - Dropbox

    private func joinDropbox(
        appKey: String = "", back: @escaping () -> Void, then: @escaping (ClubSettings) -> Void
    ) {
        ask(
            localized("Join a club on Dropbox"), localized("App key"), appKey,
            hint:
                localized(
                    "Make an app: \(Self.appConsole) (scoped access, app folder), and copy its App key."
                ),
            address: Self.appConsole, back: back,
            check: { key in
                // The refusal replaces the hint, and the address is needed to find the key.
                guard ClubSettings.refusal(of: .init(appKey: key)) != nil else { return nil }
                return localized(
                    "An app key has letters and digits. App Console: \(Self.appConsole)")
            },
            then: { [weak self] key in self?.askFolder(appKey: key, back: back, then: then) })
    }

    /// The page where an app is created and its key is shown.
    private static let appConsole = "https://www.dropbox.com/developers/apps"

    private func askFolder(
        appKey: String, folder: String = "", back: @escaping () -> Void,
        then: @escaping (ClubSettings) -> Void
    ) {
        func settings(_ folder: String) -> ClubSettings.Dropbox {
            .init(appKey: appKey, folder: folder.isEmpty ? nil : folder)
        }
        ask(
            localized("Join a club on Dropbox"), localized("Folder"), folder,
            hint: localized("Empty for everything that the app may see."),
            back: { [weak self] in self?.joinDropbox(appKey: appKey, back: back, then: then) },
            check: { ClubSettings.refusal(of: settings($0)) },
            then: { [weak self] folder in
                self?.signIn(
                    settings(folder), named: nil,
                    back: { [weak self] in
                        self?.askFolder(appKey: appKey, folder: folder, back: back, then: then)
                    }, then: then)
            })
    }

    private func signIn(
        _ settings: ClubSettings.Dropbox, named name: String?, back: (() -> Void)?,
        then: @escaping (ClubSettings) -> Void
    ) {
        do throws(SignInError) {
            let joining = try DropboxSignIn(settings, registry: registry)
            let club = try joining.club(named: name)
            present(
                DropboxSignInViewController(joining, as: club, back: back) { [application] joined in
                    then(joined.club)
                    let words =
                        joined.missingScopes.isEmpty
                        ? localized(
                            "Signed in to “\(joined.club.name)” as \(joined.account.displayName).")
                        : SignInError.sentence(missing: joined.missingScopes)
                    application.showMessage(
                        words, joined.missingScopes.isEmpty ? .success : .warning)
                })
        } catch {
            refuse(error)
        }
    }

    // MARK: - Boxes

    func ask(
        _ title: String, _ label: String, _ text: String, hint: String, address: String? = nil,
        isSecure: Bool = false, back: (() -> Void)?, check: @escaping (String) -> String?,
        then: @escaping (String) -> Void
    ) {
        let prompt = PromptViewController(
            title: title, label: label, text: text, action: localized("Next"), hint: hint,
            isSecure: isSecure
        ) { check(isSecure ? $0 : $0.trimmingBlanks()) }
        // In a password every character counts.
        prompt.didAccept = { then(isSecure ? $0 : $0.trimmingBlanks()) }
        prompt.didCancel = back
        prompt.leadsBack = back != nil
        prompt.address = address
        present(prompt)
    }

    private enum ClubsAccess {
        case writable
        /// An alert says why no club can be saved.
        case refused
    }

    /// Checks that a club can be saved, before a password is requested.
    private func requireWritableClubs() -> ClubsAccess {
        guard let error = list.refusalToChange else { return .writable }
        refuse(.settings(error))
        return .refused
    }

    private func refuse(_ error: SignInError) {
        present(
            AlertController(title: localized("Not signed in"), message: TextLine(error.description))
        )
    }

    func present(_ controller: ViewController) {
        application.topViewController?.present(controller)
    }
}

extension String {
    /// Without whitespace at both ends.
    fileprivate func trimmingBlanks() -> String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
