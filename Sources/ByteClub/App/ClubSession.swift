internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubPictures
internal import TerminalUI

/// One club on the screen: its folder, its two tabs, its drafts. Each club gets its own session, so that
/// nothing of one can end up in another.
@MainActor final class ClubSession {
    let club: Club
    let drafts: DraftStore
    /// What the lists remember between runs.
    let memory: ListMemory
    let notes: NotesViewController
    let photos: PhotosViewController
    let transfers: TransferCenter
    private let registry: ClubRegistry
    private let means: Means

    /// Drafts of earlier runs, newest first; nil until loaded.
    private var waitingDrafts: [Draft]?

    init(
        to destination: ClubSettings, registry: ClubRegistry, settings: Settings,
        memory: ListMemory, activity: any ActivityCounting, means: Means
    ) {
        self.means = means
        drafts = DraftStore(folder: registry.drafts(of: destination))
        self.registry = registry
        club = Club(
            destination, activity: activity, library: registry.libraryFolder(of: destination),
            connect: means.connect(destination))
        self.memory = memory
        notes = NotesViewController(
            club: club, drafts: drafts, memory: memory, editor: settings.editor)
        notes.largeTexts = LargeTextFolder(registry.paths.cacheFolder.appending(path: "large"))
        notes.editorMemory = EditorMemory(folder: registry.editorFolder(of: destination))
        transfers = TransferCenter(
            TransferJournal(folder: registry.transfersFolder(of: destination)),
            carrier: means.carrier(destination), activity: activity)
        photos = PhotosViewController(
            club: club, memory: memory, transfers: transfers, settings: settings.transfers)
        photos.pictureCache = registry.pictureCache
        photos.pictureCacheName = registry.pictureCacheName(of: destination)
        photos.localFolder = destination.place == .embedded ? registry.paths.clubFolder : nil
        memory.start(club)
        for files in [notes.files, photos.files] {
            files.showTransfers = { [weak self, weak files] in
                guard let self else { return }
                files?.owner?.present(makeTransferList())
            }
            files.showTrash = { [weak files, club] in
                files?.owner?.present(TrashViewController(club: club, memory: memory))
            }
        }
    }

    var tabs: [ViewController] { [notes, photos] }

    func makeTransferList() -> TransfersViewController {
        TransfersViewController(transfers, viewer: photos.viewing)
    }

    /// How to connect to clubs and start transfers; replaced in tests.
    struct Means {
        var connect: (ClubSettings) -> Club.Connect
        var carrier: (ClubSettings) -> any TransferCarrying
    }

    /// Reconnects to the club after a sign-in. The screen and all typed text stay.
    ///
    /// - Parameter settings: The same club, perhaps with another trusted key.
    func reconnect(as settings: ClubSettings) {
        let old = club.settings
        guard settings != old else { return club.reconnect() }
        ClubConnection.close(old, registry: registry)
        club.reconnect(as: settings, connect: means.connect(settings))
    }

    /// Saves what is unsaved and stops pending work.
    func leave() {
        notes.keepDraftNow()
        notes.files.stop()
        photos.files.stop()
        transfers.stop()
        club.leave()
    }

    /// Loads the drafts that wait, once.
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
        return drafts.waitingDrafts()
    }

    /// The next draft to offer; each is returned once.
    func takeWaitingDraft() -> Draft? {
        guard let index = waitingDrafts?.firstIndex(where: isOffered) else { return nil }
        return waitingDrafts?.remove(at: index)
    }

    /// How many drafts have not been offered yet.
    var waitingDraftCount: Int { waitingDrafts?.count(where: isOffered) ?? 0 }

    /// Drafts set aside on purpose wait until their note is opened, which takes that it is in the club. One of them may
    /// have been saved or moved since it was read.
    private func isOffered(_ draft: Draft) -> Bool {
        guard draft.isSetAside else { return true }
        return draft.path.map(notes.setAside.paths.contains) == true
            && notes.setAside.isWithoutNote(draft)
    }

    /// Offers the other drafts at the next start; they stay in the list.
    func postponeWaitingDrafts() { waitingDrafts = [] }
}

extension ClubSession.Means {
    /// Connects to the real clubs, and starts a process for transfers.
    init(_ registry: ClubRegistry) {
        connect = { club in
            { refused throws(StoreError) in
                try await ClubConnection.open(club, registry: registry, inPlaceOf: refused)
            }
        }
        carrier = { CarrierProcess($0, registry: registry) }
    }
}
