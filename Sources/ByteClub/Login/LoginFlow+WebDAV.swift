internal import ClubAccess
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

extension LoginFlow {
    /// A sign-in to a WebDAV club, from the password or token on.
    struct WebDAVEntry {
        var settings: ClubSettings.WebDAV
        /// The existing name of the club; nil for a new one.
        let name: String?
        /// Shows the previous dialog; nil if this is the first one.
        let back: (() -> Void)?
        /// Continues with the club.
        let then: (ClubSettings) -> Void
    }

    func joinWebDAV(
        address: String = TypedAddress.start, back: @escaping () -> Void,
        then: @escaping (ClubSettings) -> Void
    ) {
        ask(
            localized("Join a club on WebDAV"), localized("Address of the folder"), address,
            hint: "Nextcloud: https://HOST/remote.php/dav/files/USER/FOLDER", back: back,
            check: { address in
                guard let url = TypedAddress.url(address) else {
                    return localized("This is not a valid address.")
                }
                return ClubSettings.refusal(ofAddress: url, allowsPlain: true)
            },
            then: { [weak self] address in
                guard let url = TypedAddress.url(address) else { return }
                self?.askUser(url, back: back, then: then)
            })
    }

    private func askUser(
        _ url: URL, user: String = "", back: @escaping () -> Void,
        then: @escaping (ClubSettings) -> Void
    ) {
        func settings(_ user: String) -> ClubSettings.WebDAV {
            .init(url: url, signIn: user.isEmpty ? .token : .password(user: user))
        }
        ask(
            localized("Join a club on WebDAV"), localized("User"), user,
            hint: localized("Your name on that server. Empty to sign in with a token."),
            back: { [weak self] in
                self?.joinWebDAV(address: url.absoluteString, back: back, then: then)
            },
            check: { ClubSettings.refusal(of: settings($0)) },
            then: { [weak self] user in
                self?.askPassword(
                    WebDAVEntry(
                        settings: settings(user), name: nil,
                        back: { self?.askUser(url, user: user, back: back, then: then) },
                        then: then))
            })
    }

    func askPassword(_ entry: WebDAVEntry) {
        // Starts before the first character is typed.
        ProcessSecrecy.begin()
        let user = entry.settings.signIn.user
        ask(
            localized("Sign in to WebDAV"),
            user.map { localized("Password of \($0)") } ?? localized("Token"), "",
            hint: user == nil
                ? localized("From the server's web pages, or from its administrator.")
                : localized("At Nextcloud, an app password: Settings, Security."),
            isSecure: true, back: entry.back,
            check: { ClubSettings.refusal(ofSecret: $0, for: entry.settings) },
            then: { [weak self] in self?.signIn(entry, secret: $0) })
    }

    private func signIn(_ entry: WebDAVEntry, secret: String) {
        do throws(SignInError) {
            let joining = try WebDAVSignIn(entry.settings, registry: registry)
            present(
                WaitingViewController(
                    title: localized(
                        "Sign in to \(entry.name ?? entry.settings.url.host() ?? "WebDAV")"),
                    sentence: entry.settings.signIn.user.map { localized("Signing in as \($0)…") }
                        ?? localized("Signing in…"),
                    didGiveUp: { [weak self] in self?.askPassword(entry) }
                ) { [weak self] in
                    do throws(SignInError) {
                        let club = try await joining.join(named: entry.name, secret: secret)
                        return { [weak self] in self?.didJoin(club, entry, wasGivenUp: $0) }
                    } catch {
                        return { [weak self] wasGivenUp in
                            if !wasGivenUp { self?.explain(error, entry, secret: secret) }
                        }
                    }
                })
        } catch {
            explain(error, entry, secret: secret)
        }
    }

    private func didJoin(_ club: ClubSettings, _ entry: WebDAVEntry, wasGivenUp: Bool) {
        guard !wasGivenUp else {
            return application.showMessage(Self.sentence(joinedLate: club))
        }
        entry.then(club)
        application.showMessage(localized("Signed in to “\(club.name)”."), .success)
    }

    private func explain(_ error: SignInError, _ entry: WebDAVEntry, secret: String) {
        if case .untrusted(let server) = error {
            return present(
                Self.trustAlert(
                    server, isChanged: entry.settings.pin != nil,
                    back: { [weak self] in self?.askPassword(entry) }
                ) { [weak self] in
                    var trusting = entry
                    trusting.settings.pin = server.key
                    self?.signIn(trusting, secret: secret)
                })
        }
        present(
            AlertController(
                title: localized("Not signed in"), message: TextLine(error.description),
                actions: [
                    AlertAction(localized("Try again"), key: "t") { [weak self] in
                        self?.askPassword(entry)
                    },
                    AlertAction(localized("Cancel"), kind: .cancel),
                ]))
    }

    /// Asks whether to trust a server's key: the password is sent to it afterwards. Accepting requires
    /// choosing the button: there is no key for it, and Enter alone does not accept.
    ///
    /// - Parameters:
    ///   - isChanged: Another key was accepted before.
    ///   - back: Called when the key is not accepted.
    static func trustAlert(
        _ server: UntrustedServer, isChanged: Bool, back: @escaping @MainActor () -> Void = {},
        accept: @escaping @MainActor () -> Void
    ) -> AlertController {
        let message =
            isChanged
            ? server.changedKeyText
            : localized(
                "\(server.host): \(server.reason). The fingerprint of its key is \(server.key). Ask its "
                    + "administrator whether that is right.") + server.validityAdvice
        return AlertController(
            title: isChanged
                ? UntrustedServer.changedKeyTitle
                : localized("This server's certificate is not trusted"),
            message: TextLine(message),
            actions: [
                AlertAction(localized("Cancel"), kind: .cancel, handler: back),
                AlertAction(localized("Trust it"), kind: .destructive, handler: accept),
            ])
    }
}
