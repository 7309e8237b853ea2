internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

extension AppCoordinator: ApplicationDelegate {
    func applicationWillTerminate(_ application: Application) {
        session.notes.keepDraftNow()
        session.drafts.removeAbandoned()
    }

    /// What can be typed after `:`.
    func applicationCommands(_ application: Application) -> [PaletteCommand] {
        let current = session.club.settings
        // Shows the last result; changes since then follow.
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
                tabBarController.present(session.makeTransferList())
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
                    : localized("What waits for the club: \(ClubStatusLine.changes(waiting))"),
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
