internal import ClubStore
internal import FoundationEssentials
internal import TerminalUI

/// Leads the person from “another club, please” to being in it, one small box at a time; Esc goes one
/// back.
@MainActor final class LoginFlow {
    private unowned let application: Application
    private let book: ClubBook
    /// Opens a club that needs nothing more.
    private let open: (ClubSettings) -> Void

    init(application: Application, book: ClubBook, open: @escaping (ClubSettings) -> Void) {
        self.application = application
        self.book = book
        self.open = open
    }

    /// Shows the clubs there are, and how to join another.
    func choose(current: ClubSettings) {
        let book = book
        present(
            ClubChooserViewController(
                book.read().clubs, current: current,
                isSignedIn: { book.secretPlace(of: $0) != nil },
                choose: { [weak self] choice in
                    guard let self else { return }
                    switch choice {
                    case .club(let club): enter(club)
                    case .joinDropbox: joinDropbox(current: current)
                    case .joinWebDAV: joinWebDAV(current: current)
                    }
                }))
    }

    /// Opens a club; signs in first where nobody is.
    func enter(_ club: ClubSettings) {
        guard club.needsSignIn, book.secretPlace(of: club) == nil else { return open(club) }
        signIn(to: club) { [open] in open(club) }
    }

    /// Signs in to a club again.
    ///
    /// - Parameter then: Called when it worked.
    func signIn(to club: ClubSettings, then: @escaping () -> Void) {
        switch club.place {
        case .embedded: then()
        case .dropbox(let settings): signIn(settings, named: club.name) { _ in then() }
        case .webdav(let settings):
            askPassword(settings, named: club.name, back: {}) { _ in then() }
        }
    }

    // MARK: - Dropbox

    private func joinDropbox(current: ClubSettings) {
        ask(
            "Join a club on Dropbox", "App key", "",
            hint: "From Dropbox's App Console; docs/Clubs.md tells how to make one.",
            back: { [weak self] in self?.choose(current: current) },
            check: { key in ClubSettings.refusal(of: .init(appKey: key)) },
            then: { [weak self] key in self?.askFolder(appKey: key, current: current) })
    }

    private func askFolder(appKey: String, current: ClubSettings) {
        ask(
            "Join a club on Dropbox", "Folder", "",
            hint: "Empty for everything that the app may see.",
            back: { [weak self] in self?.joinDropbox(current: current) },
            check: { folder in
                ClubSettings.refusal(
                    of: .init(appKey: appKey, folder: folder.isEmpty ? nil : folder))
            },
            then: { [weak self] folder in
                let settings = ClubSettings.Dropbox(
                    appKey: appKey, folder: folder.isEmpty ? nil : folder)
                self?.signIn(settings, named: nil) { [weak self] joined in self?.open(joined) }
            })
    }

    private func signIn(
        _ settings: ClubSettings.Dropbox, named name: String?,
        then: @escaping (ClubSettings) -> Void
    ) {
        do throws(JoiningError) {
            let joining = try DropboxJoining(settings, book: book)
            let club = try joining.club(named: name)
            present(
                DropboxSignInViewController(joining, as: club) { [application] joined in
                    then(joined.club)
                    let words =
                        joined.missingScopes.isEmpty
                        ? "Signed in to “\(joined.club.name)” as \(joined.account.displayName)."
                        : JoiningError.sentence(missing: joined.missingScopes)
                    application.showMessage(
                        words, joined.missingScopes.isEmpty ? .success : .warning)
                })
        } catch {
            present(AlertController(title: "Not signed in", message: TextLine(error.description)))
        }
    }

    // MARK: - WebDAV

    private func joinWebDAV(current: ClubSettings) {
        ask(
            "Join a club on WebDAV", "Address of the folder", "https://",
            hint: "Nextcloud: https://HOST/remote.php/dav/files/USER/FOLDER",
            back: { [weak self] in self?.choose(current: current) },
            check: { address in
                guard let url = URL(string: address) else { return "This is no address." }
                return ClubSettings.refusal(ofAddress: url, allowsPlain: true)
            },
            then: { [weak self] address in
                guard let url = URL(string: address) else { return }
                self?.askUser(url, current: current)
            })
    }

    private func askUser(_ url: URL, current: ClubSettings) {
        ask(
            "Join a club on WebDAV", "User", "", hint: "Your name on that server.",
            back: { [weak self] in self?.joinWebDAV(current: current) },
            check: { ClubSettings.refusal(of: ClubSettings.WebDAV(url: url, user: $0)) },
            then: { [weak self] user in
                let settings = ClubSettings.WebDAV(url: url, user: user)
                self?.askPassword(
                    settings, named: nil, back: { self?.askUser(url, current: current) },
                    then: { self?.open($0) })
            })
    }

    private func askPassword(
        _ settings: ClubSettings.WebDAV, named name: String?, back: @escaping () -> Void,
        then: @escaping (ClubSettings) -> Void
    ) {
        ask(
            "Sign in to WebDAV", "Password of \(settings.user)", "",
            hint: "At Nextcloud, an app password: Settings, Security.", isSecure: true, back: back,
            check: { $0.isEmpty ? "The password must not be empty." : nil },
            then: { [weak self] password in
                self?.signIn(settings, password: password, named: name, then: then)
            })
    }

    private func signIn(
        _ settings: ClubSettings.WebDAV, password: String, named name: String?,
        then: @escaping (ClubSettings) -> Void
    ) {
        application.showMessage("Signing in…", for: nil)
        _ = application.topViewController?.startPending { [self] in
            do throws(JoiningError) {
                let joining = try WebDAVJoining(settings, book: book)
                let club = try joining.club(named: name)
                _ = try await joining.finish(password: password, as: club)
                then(club)
                application.showMessage("Signed in to “\(club.name)”.", .success)
            } catch {
                application.dismissMessage()
                explain(error, settings, password: password, named: name, then: then)
            }
        }
    }

    private func explain(
        _ error: JoiningError, _ settings: ClubSettings.WebDAV, password: String,
        named name: String?, then: @escaping (ClubSettings) -> Void
    ) {
        if case .untrusted(let server) = error {
            var trusting = settings
            trusting.pin = server.key
            return present(
                AlertController(
                    title: "Nobody vouches for this server",
                    message: TextLine(
                        "\(server.host): \(server.reason). The fingerprint of its key is "
                            + "\(server.key). Ask whoever runs it whether that is right."),
                    actions: [
                        AlertAction("Cancel", kind: .cancel),
                        AlertAction("It is right", key: "i", kind: .destructive) { [weak self] in
                            self?.signIn(trusting, password: password, named: name, then: then)
                        },
                    ]))
        }
        present(
            AlertController(
                title: "Not signed in", message: TextLine(error.description),
                actions: [
                    AlertAction("Try again", key: "t") { [weak self] in
                        self?.askPassword(settings, named: name, back: {}, then: then)
                    },
                    AlertAction("Cancel", kind: .cancel),
                ]))
    }

    private func ask(
        _ title: String, _ label: String, _ text: String, hint: String, isSecure: Bool = false,
        back: @escaping () -> Void, check: @escaping (String) -> String?,
        then: @escaping (String) -> Void
    ) {
        let prompt = PromptViewController(
            title: title, label: label, text: text, action: "Next", hint: hint,
            isSecure: isSecure
        ) { check(isSecure ? $0 : $0.trimmingBlanks()) }
        // Of a password every character counts.
        prompt.didAccept = { then(isSecure ? $0 : $0.trimmingBlanks()) }
        prompt.didCancel = back
        present(prompt)
    }

    private func present(_ controller: ViewController) {
        application.topViewController?.present(controller)
    }
}

extension String {
    /// Without blanks at both ends.
    fileprivate func trimmingBlanks() -> String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
