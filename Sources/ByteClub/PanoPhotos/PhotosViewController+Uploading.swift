internal import ClubAccess
internal import ClubLibrary
internal import ClubStore
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI
internal import TextEditing

/// From the picker to transfers.
extension PhotosViewController {
    /// - Parameter pasted: The text dropped onto the list.
    func pickPhotos(taking pasted: String? = nil) {
        present(
            PhotoPickerViewController(
                startingIn: pickerFolder, keepsOriginals: transferSettings.keepsOriginals,
                taking: pasted
            ) { [weak self] selection in
                self?.pickerFolder = selection.folder
                self?.upload(selection)
            })
    }

    private func upload(_ selection: PhotoSelection) {
        guard selection.paths.count == 1 else { return uploadSeveral(selection) }
        let source = URL(fileURLWithPath: selection.paths[0])
        let name = Self.clubName(of: source, selection)
        guard club.contents.hasPhoto(named: name) else {
            return uploadOne(source, named: name, selection)
        }
        let free = PhotoName.free(like: name) { club.contents.hasPhoto(named: $0) }
        present(
            AlertController(
                title: localized("The name is taken"),
                message: TextLine(localized("The club has a photo named “\(name)” already.")),
                actions: [
                    AlertAction(localized("Upload as “\(free)”"), key: "u") { [weak self] in
                        self?.uploadOne(source, named: free, selection)
                    },
                    AlertAction(localized("Cancel"), kind: .cancel),
                ]))
    }

    private func uploadOne(_ source: URL, named name: String, _ selection: PhotoSelection) {
        do throws(StoreError) {
            let order = try makeOrder(source, named: name, selection)
            transfers.add([order])
            show(order.id, order)
            if Self.isRenamed(source, selection) {
                application?.showMessage(
                    localized(
                        "“\(VisibleText(source.lastPathComponent).string)” is called “\(name)” in the club."
                    ))
            }
        } catch {
            let words = club.sentence(for: error)
            present(AlertController(title: words.title, message: TextLine(words.text)))
        }
    }

    /// Uploads all photos without the progress view; a name that is taken becomes the next free one.
    private func uploadSeveral(_ selection: PhotoSelection) {
        var (orders, refused): ([TransferOrder], [String]) = ([], [])
        var taken = Set(club.contents.photos.map { $0.name.lowercased() })
        var renamed: [(file: String, name: String)] = []
        for path in selection.paths {
            let source = URL(fileURLWithPath: path)
            var name = Self.clubName(of: source, selection)
            if taken.contains(name.lowercased()) {
                name = PhotoName.free(like: name) { taken.contains($0.lowercased()) }
            }
            do throws(StoreError) {
                orders.append(try makeOrder(source, named: name, selection))
                taken.insert(name.lowercased())
                if Self.isRenamed(source, selection) {
                    renamed.append((VisibleText(source.lastPathComponent).string, name))
                }
            } catch {
                refused.append(source.lastPathComponent)
            }
        }
        transfers.add(orders)
        guard let first = refused.first else {
            application?.showMessage(Self.message(about: orders.count, renamed))
            return
        }
        present(
            AlertController(
                title: localized("Not uploaded"),
                message: TextLine(
                    (refused.count == 1
                        ? localized(
                            "No photo in the club can be named “\(first)”. Rename it first.")
                        : localized(
                            "No photos in the club can have the names of \(refused.count) of these "
                                + "files. Rename them first."
                        )))))
    }

    /// What can be no name in the club becomes `_`, as in the names of downloads.
    private static func clubName(of source: URL, _ selection: PhotoSelection) -> String {
        PhotoName.allowed(usualName(of: source, selection))
    }

    private static func usualName(of source: URL, _ selection: PhotoSelection) -> String {
        ClubFiles.photoName(for: source, keepsOriginal: selection.keepsOriginals)
    }

    /// Whether its name could not be kept.
    private static func isRenamed(_ source: URL, _ selection: PhotoSelection) -> Bool {
        clubName(of: source, selection) != usualName(of: source, selection)
    }

    private static func message(
        about count: Int, _ renamed: [(file: String, name: String)]
    ) -> String {
        guard let first = renamed.first else {
            return localized("\(count) photos are on their way; w shows how far they are.")
        }
        return renamed.count == 1
            ? localized(
                "\(count) photos are on their way; “\(first.file)” is called “\(first.name)” in the club."
            )
            : localized(
                "\(count) photos are on their way; \(renamed.count) get other names: “\(first.file)” is “\(first.name)”."
            )
    }

    private func makeOrder(
        _ source: URL, named name: String, _ selection: PhotoSelection
    ) throws(StoreError) -> TransferOrder {
        let path = try RemotePath.root.appending(ClubContents.photosFolderName)
            .appending(newName: name)
        var order = TransferOrder(.upload, path, file: source)
        order.preparation = transferSettings.preparation
        order.keepsOriginal = selection.keepsOriginals
        order.bytesPerSecondLimit = transferSettings.bytesPerSecondLimit
        return order
    }

    // MARK: - The view in the middle

    private func show(_ id: TransferItem.ID, _ order: TransferOrder) {
        uploadInSight = id
        present(
            UploadViewController(id, in: transfers) { [weak self] in
                self?.finish(order, $0)
            })
    }

    private func finish(_ order: TransferOrder, _ outcome: UploadViewController.Outcome) {
        // A failure is shown in a dialog.
        if case .failed = outcome {} else { uploadInSight = nil }
        switch outcome {
        case .uploaded: break
        case .cancelled:
            application?.showMessage(localized("The upload of “\(order.name)” was cancelled."))
        case .background(let tab):
            let isPaused = transfers.item(order.id)?.order.intent == .pause
            application?.showMessage(
                isPaused
                    ? localized("“\(order.name)” is paused; w shows it, and resumes it.")
                    : localized(
                        "“\(order.name)” continues in the background; w shows its progress."))
            if let tab { (parent as? TabBarController)?.select(tab) }
        case .failed(let item): showFailure(of: item)
        }
    }

    private func showFailure(of item: TransferItem) {
        let reason = item.reason ?? localized("It was not uploaded.")
        transfers.seeFailures(of: item.id)
        present(
            AlertController(
                title: localized("Not uploaded"), message: TextLine(reason),
                shortMessage: item.shortReason.map { TextLine($0) },
                actions: [
                    AlertAction(localized("Try again"), key: "t") { [weak self] in
                        self?.transfers.resume([item.id])
                        self?.show(item.id, item.order)
                    },
                    AlertAction("OK", kind: .cancel) { [weak self] in self?.uploadInSight = nil },
                ], preferred: 1))
    }

    var downloads: PhotoDownloads {
        PhotoDownloads(center: transfers, settings: transferSettings, owner: self)
    }
}
