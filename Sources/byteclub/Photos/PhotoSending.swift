import ByteClubMessages
import ByteClubPictures
import ClubAccess
import ClubStore
import FoundationEssentials

/// Adds photos to the club, and reports what becomes of them.
struct PhotoSending: Sendable {
    let store: any RemoteStore
    let preparation: PhotoPreparation
    let bytesPerSecondLimit: Int64?
    let isJSON: Bool
    let changes: OwnChanges
    /// The club's folder of transfers.
    let folder: URL

    /// How the upload of a photo ended.
    private enum UploadEnd {
        /// The photo is in the club.
        case sent(RemoteFile)
        /// Another attempt can go on from what was sent.
        case resumable(any Error)
        /// Under this name it will never be in the club.
        case refused(any Error)

        var isResumable: Bool { if case .resumable = self { true } else { false } }
    }

    /// Adds a photo.
    ///
    /// - Throws: ``CommandFailure``, or a `StoreError` if it was cancelled.
    @MainActor func put(_ file: URL, to path: RemotePath) async throws {
        let upload = await CommandUpload.begin(file, to: path, in: folder)
        let end = await attempt(file, to: path, upload)
        await upload?.end(isOfUse: end.isResumable)
        switch end {
        case .sent(let photo): report(photo)
        case .resumable(let error), .refused(let error): throw error
        }
    }

    @MainActor private func attempt(
        _ file: URL, to path: RemotePath, _ upload: CommandUpload?
    ) async -> UploadEnd {
        let name = file.lastPathComponent
        // Nothing is sent if the name is taken; if it is taken meanwhile, the club refuses it. What was sent before a
        // kill may have arrived after it.
        let there = try? await store.metadata(of: path)
        if there != nil, upload?.isResumed != true {
            return .refused(await taken(path, adding: name))
        }
        let photo: PreparedPhoto
        do {
            photo = try await prepare(file)
        } catch {
            return .resumable(error)
        }
        // Its file exists as long as it does.
        defer { withExtendedLifetime(photo) {} }
        guard let there else { return await send(photo, named: name, to: path, upload) }
        guard await photo.isContent(of: there, isAssumed: false) else {
            return .refused(await taken(path, adding: name))
        }
        Output.clearStatus()
        return .sent(there)
    }

    @MainActor private func prepare(_ file: URL) async throws -> PreparedPhoto {
        let name = file.lastPathComponent
        do throws(PictureError) {
            if !isJSON { Output.status(localized("\(name)  preparing")) }
            return try await PictureWorkers.shared.prepare(file, as: preparation)
        } catch {
            Output.clearStatus()
            if error.code == .cancelled { throw StoreError(.cancelled, during: .upload) }
            if error.code == .tooLargeToReencode {
                throw CommandFailure(
                    localized(
                        "“\(name)” was not added because \(error.reason). Send it as it is with --original."
                    ))
            }
            throw CommandFailure(localized("“\(name)” was not added because \(error.reason)."))
        }
    }

    /// - Parameter name: That of the file on this computer.
    @MainActor private func send(
        _ photo: PreparedPhoto, named name: String, to path: RemotePath, _ upload: CommandUpload?
    ) async -> UploadEnd {
        do throws(StoreError) {
            let sent = try await changes.sending(fileAt: photo.url, to: path) {
                () throws(StoreError) in
                try await CommandTransfer.run(
                    isJSON ? path.name : name, asJSON: isJSON, isUpload: true,
                    goingOnFrom: upload?.keptByteCount ?? 0
                ) { delegate in
                    let transfer = store.upload(
                        fileAt: photo.url, to: path, mode: .create, record: upload?.record,
                        delegate: delegate)
                    transfer.bytesPerSecondLimit = bytesPerSecondLimit
                    return transfer
                }
            }
            return .sent(sent)
        } catch {
            switch error.code {
            case .cancelled: return .resumable(error)
            case .conflict:
                // A gateway that performs a request twice refuses what it has just stored.
                if error.hasSameBytes, let there = try? await store.metadata(of: path),
                    await photo.isContent(of: there, isAssumed: true)
                {
                    return .sent(there)
                }
                return .refused(await taken(path, adding: name))
            default:
                return .resumable(
                    CommandFailure(localized("“\(name)” was not added."), error))
            }
        }
    }

    private func report(_ photo: RemoteFile) {
        guard isJSON else { return }
        TransferEvent(
            event: "done", name: photo.name, path: photo.path.string,
            revision: photo.revision.rawValue
        ).write()
    }

    /// The failure for a name that is taken, with one that is free.
    private func taken(_ path: RemotePath, adding file: String) async -> CommandFailure {
        let photos = try? await store.list(ClubFiles.photosFolder(), recursive: false)
        let taken = Set((photos?.entries ?? []).map { $0.path.name.lowercased() })
        let free = PhotoName.free(like: path.name) { taken.contains($0.lowercased()) }
        return CommandFailure(
            localized(
                "“\(file)” was not added: the club has a photo “\(path.name)” already. With --name “\(free)” it is added beside that one."
            ))
    }
}
