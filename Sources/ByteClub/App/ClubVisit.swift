internal import ClubLibrary
internal import ClubStore
internal import TerminalUI

/// One club on the screen: its folder, its two tabs, its drafts. Another club gets another visit, so
/// that nothing of one can end up in the other.
@MainActor final class ClubVisit {
    let club: Club
    let drafts: DraftStore
    let notes: NotesViewController
    let photos: PhotosViewController

    /// What earlier runs have left unsaved, newest first; nil until it was looked for.
    private var waitingDrafts: [Draft]?

    init(
        to destination: ClubSettings, book: ClubBook, settings: Settings,
        activity: any ActivityCounting
    ) {
        drafts = DraftStore(folder: book.drafts(of: destination))
        club = Club(destination, activity: activity) { () throws(StoreError) in
            try await ClubConnection.open(destination, book: book)
        }
        notes = NotesViewController(club: club, drafts: drafts, editor: settings.editor)
        photos = PhotosViewController(club: club, transfers: settings.transfers)
    }

    var tabs: [ViewController] { [notes, photos] }

    /// Keeps what is unsaved and stops what is under way.
    func leave() {
        notes.keepDraftNow()
        photos.cancelUpload()
        club.stop()
    }

    /// Looks, once, for what earlier runs have left unsaved.
    func findDrafts() async {
        guard waitingDrafts == nil else { return }
        waitingDrafts = []
        waitingDrafts = await Self.read(drafts)
    }

    @concurrent private nonisolated static func read(_ drafts: DraftStore) async -> [Draft] {
        drafts.waitingDrafts()
    }

    /// The next one to offer; it is not offered again.
    func takeWaitingDraft() -> Draft? {
        guard let first = waitingDrafts?.first else { return nil }
        waitingDrafts?.removeFirst()
        return first
    }
}
