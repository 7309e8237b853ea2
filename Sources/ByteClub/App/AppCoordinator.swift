internal import ClubLibrary
internal import ClubStore
internal import TerminalUI

/// Builds the app's parts and holds them together.
@MainActor final class AppCoordinator {
    let tabBarController: TabBarController

    private unowned let application: Application
    private let club: Club
    private let drafts: DraftStore
    private let notes: NotesViewController
    private let photos: PhotosViewController
    /// What earlier runs have left unsaved, newest first; nil until it was looked for.
    private var waitingDrafts: [Draft]?

    init(application: Application) {
        self.application = application
        let paths = Paths()
        drafts = DraftStore(folder: paths.drafts)
        let activity = ActivityCounter(application)
        club = Club(activity: activity) { () throws(StoreError) in
            try await EmbeddedClub.open(paths: paths)
        }
        notes = NotesViewController(club: club, drafts: drafts)
        photos = PhotosViewController(club: club)
        tabBarController = TabBarController([notes, photos])
        notes.didReturnToList = { [weak self] in self?.offerNextDraft() }
        tabBarController.brand = TextLine("Byte Club", .heading)
        activity.indicator = tabBarController.activityIndicator
    }

    func start() {
        club.start()
        club.addObserver(self)
    }

    func stop() {
        club.stop()
    }
}

extension AppCoordinator: ClubObserver {
    func clubDidChange(_ club: Club) {
        switch club.connection {
        case .connecting: tabBarController.status = TextLine("connecting", .secondary)
        case .connected:
            tabBarController.status = TextLine("embedded club", .secondary)
            offerDrafts()
        case .failed: tabBarController.status = TextLine("not connected, trying again", .warning)
        }
    }

    /// Looks, once, for what earlier runs have left unsaved, and offers it.
    private func offerDrafts() {
        guard waitingDrafts == nil else { return }
        waitingDrafts = []
        Task {
            waitingDrafts = await Self.read(drafts)
            offerNextDraft()
        }
    }

    @concurrent private nonisolated static func read(_ drafts: DraftStore) async -> [Draft] {
        drafts.waitingDrafts()
    }

    /// One after the other, each when the person is back at the lists.
    private func offerNextDraft() {
        guard application.topViewController === tabBarController, let draft = waitingDrafts?.first
        else { return }
        waitingDrafts?.removeFirst()
        let name = draft.name.isEmpty ? "a new note" : "“\(draft.name)”"
        notes.present(
            AlertController(
                title: "An unsaved note was kept",
                message: "The text of \(name) did not reach the club last time. It is safe here.",
                actions: [
                    AlertAction("Open it", key: "o") { [notes] in notes.resume(draft) },
                    AlertAction("Later", key: "l", kind: .cancel) { [weak self] in
                        self?.offerNextDraft()
                    },
                    AlertAction("Delete it", key: "D", kind: .destructive) { [weak self, drafts] in
                        drafts.remove(draft.id)
                        self?.offerNextDraft()
                    },
                ]))
    }
}

extension AppCoordinator: ApplicationDelegate {
    func applicationWillTerminate(_ application: Application) {
        notes.keepDraftNow()
        photos.cancelUpload()
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
