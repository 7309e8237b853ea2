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

    private func ask(
        _ title: String, _ label: String, _ text: String, hint: String,
        back: @escaping () -> Void, check: @escaping (String) -> String?,
        then: @escaping (String) -> Void
    ) {
        let prompt = PromptViewController(
            title: title, label: label, text: text, action: "Next", hint: hint
        ) { check($0.trimmingBlanks()) }
        prompt.didAccept = { then($0.trimmingBlanks()) }
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
