internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// Switching clubs: entering, signing in again, signing out.
extension AppCoordinator {
    /// Switches to another club, or reopens the same one after a sign-in.
    func open(_ club: ClubSettings) {
        guard !club.isSameClub(as: session.club.settings) else {
            remember(club)
            return session.reconnect(as: club)
        }
        // Do not replace a screen that the user has opened meanwhile.
        guard application.topViewController === tabBarController else {
            return application.showMessage(
                localized("Close what is open, then :club \(club.name) opens it."), .warning)
        }
        askedToSignIn = nil
        shownSkipped = []
        remember(club)
        session.leave()
        session = ClubSession(
            to: club, registry: registry, settings: settings,
            memory: memories.memory(in: registry.listFolder(of: club)), activity: activity,
            means: means)
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

    /// - Returns: Why it could not be saved.
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

    /// Signs in to a club again, on top of whatever is open.
    func signInAgain(to session: ClubSession, _ then: @escaping () -> Void) {
        login.signIn(to: session.club.settings) { [weak self, weak session] joined in
            // The user may have switched to another club meanwhile.
            guard let self, let session, session === self.session else { return }
            session.reconnect(as: joined)
            then()
        }
    }

    func leaveClub() {
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

    /// The session is signed out, even if the request to revoke it was cancelled.
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
                "This computer has forgotten the sign-in to “\(settings.name)”, but the server could "
                    + "not revoke it. \(ErrorMessage(error, club: .remote).text) To be safe, remove Byte "
                    + "Club among the connected apps of your account."
            ))
    }

    func alert(_ title: String, _ sentence: String) {
        tabBarController.present(AlertController(title: title, message: TextLine(sentence)))
    }

    /// Asks once per listing, and not while the user is doing something else: saving a note asks on its own.
    func askToSignIn(_ error: StoreError) {
        guard askedToSignIn != session.club.polling.refreshCount,
            application.topViewController === tabBarController
        else { return }
        askedToSignIn = session.club.polling.refreshCount
        let words = session.club.sentence(for: error)
        tabBarController.present(
            AlertController(
                title: words.title,
                message: TextLine(localized("\(words.text) Everything you have typed is kept.")),
                actions: [
                    AlertAction(localized("Sign in"), key: "s") { [session] in
                        session.club.handlers.signInAgain? {}
                    },
                    AlertAction(localized("Later"), key: "l", kind: .cancel),
                ]))
    }
}
