internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import ByteClubFiles
internal import FoundationEssentials
internal import Glibc
internal import ByteClubMessages
internal import TerminalUI

/// Asks for a folder and starts downloads.
@MainActor struct PhotoDownloads {
    let center: TransferCenter
    let settings: TransferSettings
    /// It may be gone when a folder has been read.
    private weak var owner: ViewController?

    init(center: TransferCenter, settings: TransferSettings, owner: ViewController) {
        self.center = center
        self.settings = settings
        self.owner = owner
    }

    /// Asks for a folder first.
    func begin(_ photos: [RemoteFile]) {
        guard let first = photos.first else { return }
        let what = photos.count == 1 ? "“\(first.name)”" : localized("\(photos.count) photos")
        _ = owner?.startPending { [self] in
            let folder = await DownloadFolder.standard()
            let prompt = PromptViewController(
                title: localized("Download \(what)"), label: localized("Folder"),
                text: TypedPath.shown(folder), action: localized("Download"),
                hint: await Self.hint(for: folder)
            ) { _ in nil }
            prompt.check = { typed in
                guard typed.contains(where: { !$0.isWhitespace }) else {
                    return localized("Name the folder: “.” is the one Byte Club was started in.")
                }
                let folder = Self.url(of: typed)
                // What only creating it shows is told in the same place, where it can be corrected.
                if let reason = await Self.refusal(of: folder) { return reason }
                return await Self.prepare(folder)
            }
            prompt.didAccept = { [self] in order(photos, to: Self.url(of: $0)) }
            let completion = FolderCompletion()
            prompt.completion = { completion.completed($0) }
            prompt.didEdit = { [weak prompt, weak owner] typed in
                _ = owner?.startPending {
                    let hint = await Self.hint(for: Self.folder(typed))
                    if let prompt, prompt.text == typed { prompt.hint = hint }
                    await completion.read(typed)
                }
            }
            owner?.present(prompt)
            await completion.read(TypedPath.shown(folder))
        }
    }

    private static func url(of typed: String) -> URL {
        URL(filePath: folder(typed), directoryHint: .isDirectory)
    }

    private static func folder(_ typed: String) -> String {
        TypedPath.resolve(
            typed, in: FileManager.default.currentDirectoryPath, home: TypedPath.home)
    }

    /// What happens if the folder does not exist.
    @concurrent private nonisolated static func hint(for folder: String) async -> String {
        isThere(URL(filePath: folder)) ? "" : localized("A new folder will be created.")
    }

    private func order(_ wanted: [RemoteFile], to folder: URL) {
        let onTheWay = center.wantedItems
        let photos = wanted.filter { photo in
            !onTheWay.contains { $0.isDownload(of: photo, to: folder) }
        }
        if photos.isEmpty, let first = wanted.first {
            owner?.application?.showMessage(
                wanted.count == 1
                    ? localized("“\(first.name)” is on its way to this folder already. w shows it.")
                    : localized("They are on their way to this folder already. w shows them."))
            return
        }
        _ = owner?.startPending { [self] in
            let taken = await Self.taken(photos, in: folder)
            guard let first = taken.first else { return await place(photos, in: folder) }
            ask(photos, folder, taken: taken, first: first)
        }
    }

    private func ask(
        _ photos: [RemoteFile], _ folder: URL, taken: [String], first: String
    ) {
        let what =
            taken.count == 1
            ? localized("a file “\(first)”") : localized("\(taken.count) of these files")
        owner?.present(
            AlertController(
                title: localized("Already there"),
                message: TextLine(
                    localized("\(TypedPath.shown(folder.path)) has \(what) already.")),
                actions: [
                    AlertAction(localized("Keep both"), key: "k") { [self] in
                        _ = owner?.startPending { [self] in await place(photos, in: folder) }
                    },
                    AlertAction(localized("Replace"), key: "r", kind: .destructive) { [self] in
                        _ = owner?.startPending { [self] in
                            await place(photos, in: folder, replacing: true)
                        }
                    },
                    AlertAction(localized("Cancel"), kind: .cancel),
                ], preferred: 2))
    }

    private func place(
        _ photos: [RemoteFile], in folder: URL, replacing: Bool = false
    ) async {
        let expected = Set(center.wantedItems.map(\.order.file))
        let files = await Self.files(
            for: photos, in: folder, expected: expected, replacing: replacing)
        let orders = zip(photos, files).map { photo, file in
            var order = TransferOrder(.download, photo.path, file: file)
            order.replaces = replacing
            order.bytesPerSecondLimit = settings.bytesPerSecondLimit
            return order
        }
        center.add(orders)
        owner?.application?.showMessage(
            orders.count == 1
                ? localized("Downloading “\(orders[0].name)”. w shows how far it is.")
                : localized("Downloading \(orders.count) photos. w shows how far they are."))
    }

    /// - Returns: Why the folder is not writable; it need not exist yet.
    @concurrent private nonisolated static func refusal(of folder: URL) async -> String? {
        let shown = TypedPath.shown(folder.path)
        do throws(AtomicFile.Failure) {
            try AtomicFile.checkFolder(folder)
            return nil
        } catch {
            return isThere(folder)
                ? localized("Nothing can be written in “\(shown)”. Choose another folder.")
                : localized("The folder “\(shown)” cannot be created. Choose another.")
        }
    }

    /// Creates the folder.
    ///
    /// - Returns: Why it cannot be created, for reasons not detected earlier.
    @concurrent private nonisolated static func prepare(_ folder: URL) async -> String? {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            return nil
        } catch {
            let shown = TypedPath.shown(folder.path)
            return localized("The folder “\(shown)” cannot be created. Choose another.")
        }
    }

    @concurrent private nonisolated static func taken(
        _ photos: [RemoteFile], in folder: URL
    ) async -> [String] {
        photos.map { PhotoName.onDisk($0.name) }.filter { isThere(folder.appending(path: $0)) }
    }

    /// Chooses a file for each photo that no other one has or will have.
    ///
    /// - Parameters:
    ///   - expected: The files of active downloads.
    ///   - replacing: Whether an existing file may be replaced, but only by one photo.
    @concurrent nonisolated static func files(
        for photos: [RemoteFile], in folder: URL, expected: Set<String>, replacing: Bool
    ) async -> [URL] {
        var taken = expected
        return photos.map { photo in
            let isTaken = { (name: String) in
                let file = folder.appending(path: name)
                return taken.contains(file.path) || (!replacing && isThere(file))
            }
            var name = PhotoName.onDisk(photo.name)
            if isTaken(name) { name = PhotoName.free(like: name, isTaken: isTaken) }
            let file = folder.appending(path: name)
            taken.insert(file.path)
            return file
        }
    }

    /// A dangling link exists, too.
    private nonisolated static func isThere(_ file: URL) -> Bool {
        var facts = stat()
        return lstat(file.path, &facts) == 0
    }
}

extension TransferItem {
    /// Whether it brings a photo to a folder, under whatever name.
    func isDownload(of photo: RemoteFile, to folder: URL) -> Bool {
        order.direction == .download && order.path == photo.path.string
            && URL(filePath: order.file).deletingLastPathComponent().standardized.path
                == folder.standardized.path
    }
}
