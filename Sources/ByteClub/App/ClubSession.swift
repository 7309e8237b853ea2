internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import Pictures
internal import TerminalUI

/// One club on the screen: its folder, its two tabs, its drafts. Another club gets another session, so
/// that nothing of one can end up in the other.
@MainActor final class ClubSession {
    let club: Club
    let drafts: DraftStore
    /// What the lists keep over restarts.
    let memory: ListMemory
    let notes: NotesViewController
    let photos: PhotosViewController
    let transfers: TransferCenter
    private let registry: ClubRegistry

    /// What earlier runs have left unsaved, newest first; nil until it was looked for.
    private var waitingDrafts: [Draft]?

    init(
        to destination: ClubSettings, registry: ClubRegistry, settings: Settings,
        memory: ListMemory, activity: any ActivityCounting
    ) {
        drafts = DraftStore(folder: registry.drafts(of: destination))
        self.registry = registry
        club = Club(
            destination, activity: activity, library: registry.libraryFolder(of: destination),
            connect: Self.connection(to: destination, registry))
        self.memory = memory
        notes = NotesViewController(
            club: club, drafts: drafts, memory: memory, editor: settings.editor)
        notes.largeTexts = LargeTextFolder(registry.paths.cacheFolder.appending(path: "large"))
        notes.editorMemory = EditorMemory(folder: registry.editorFolder(of: destination))
        transfers = TransferCenter(
            TransferJournal(folder: registry.transfersFolder(of: destination)),
            carrier: CarrierProcess(destination, registry: registry), activity: activity)
        photos = PhotosViewController(
            club: club, memory: memory, transfers: transfers, settings: settings.transfers)
        photos.pictureCache = registry.pictureCache
        photos.pictureCacheName = registry.pictureCacheName(of: destination)
        photos.localFolder = destination.place == .embedded ? registry.paths.clubFolder : nil
        memory.start(club)
        let center = transfers
        for files in [notes.files, photos.files] {
            files.showTransfers = { [weak files] in
                files?.owner?.present(TransfersViewController(center))
            }
            files.showTrash = { [weak files, club] in
                files?.owner?.present(TrashViewController(club: club, memory: memory))
            }
        }
    }

    var tabs: [ViewController] { [notes, photos] }

    private static func connection(
        to destination: ClubSettings, _ registry: ClubRegistry
    ) -> Club.Connect {
        { refused throws(StoreError) in
            try await ClubConnection.open(destination, registry: registry, inPlaceOf: refused)
        }
    }

    /// Opens the club again after a sign-in. What is on the screen stays, and all that was typed.
    ///
    /// - Parameter settings: The same club, perhaps with another key to believe.
    func reconnect(as settings: ClubSettings) {
        let old = club.settings
        guard settings != old else { return club.reconnect() }
        ClubConnection.close(old, registry: registry)
        club.reconnect(as: settings, connect: Self.connection(to: settings, registry))
    }

    /// Keeps what is unsaved and stops what is under way.
    func leave() {
        notes.keepDraftNow()
        notes.files.stop()
        photos.files.stop()
        transfers.stop()
        club.leave()
    }

    /// Looks, once, for what earlier runs have left unsaved.
    func findDrafts() async {
        guard waitingDrafts == nil else { return }
        waitingDrafts = []
        waitingDrafts = await Self.read(
            drafts,
            takingOver: registry.earlierDrafts(of: club.settings).map(DraftStore.init(folder:)))
    }

    @concurrent private nonisolated static func read(
        _ drafts: DraftStore, takingOver earlier: [DraftStore]
    ) async -> [Draft] {
        for earlier in earlier { drafts.takeOver(from: earlier) }
        drafts.recoverHandedOver()
        // Those set aside on purpose wait for their note to be opened.
        return drafts.waitingDrafts().filter { !$0.isSetAside }
    }

    /// The next one to offer; it is not offered again.
    func takeWaitingDraft() -> Draft? {
        guard let first = waitingDrafts?.first else { return nil }
        waitingDrafts?.removeFirst()
        return first
    }
}
