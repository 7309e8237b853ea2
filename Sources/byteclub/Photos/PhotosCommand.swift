import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages
import Synchronization
import ByteClubPictures

struct PhotosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos", abstract: "List, add, fetch and remove panoramas.",
        discussion: """
            With --json, ls, mv, rm, trash and restore write JSON to standard output; put and get write events, a line of \
            JSON each: progress (name, bytes, total), then done (name, path, revision) or failed (name, \
            reason). Without it a bar shows the progress on a terminal, and nothing does in a pipe. The exit \
            status is 0, 1 when something failed, 2 for bad usage.
            """,
        subcommands: [
            List.self, Put.self, PhotosGet.self, PhotosRemove.self,
            PhotosTrash.self, PhotosRestore.self, PhotosMove.self,
        ])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the photos.",
            discussion: """
                While the club cannot be reached, what is kept of its list on this computer. With --json: \
                an array of objects with name, size (bytes), modified (ISO 8601, UTC), revision and path.
                """)

        @OptionGroup var club: ClubOptions

        @Flag(help: "Write JSON.")
        var json = false

        func run() async throws {
            let club = try await club.openForReading()
            let files = ClubFiles(try await club.list(.root, recursive: true))
            try Output.list(files.photos, of: files, asJSON: json)
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "put", abstract: "Add photos to the club.",
            discussion: """
                They are re-encoded as JPEG, upright, or with --original go as they are. Camera, date, artist \
                and copyright stay in them; where they were taken is left out unless --keep-location asks for \
                it. The files on this computer stay as they are. A photo of the same name in the club is never \
                replaced. An upload that was interrupted goes on where it stopped, as far as the club allows it, when the \
                same file is sent to the same name again. Settings for all photos: transfers in config.yml.
                """)

        @OptionGroup var club: ClubOptions

        @OptionGroup var json: JSONOption

        @Option(
            help: ArgumentHelp(
                "At most so many bytes a second: 500K, 4M; or none.", valueName: "rate"))
        var limitRate: RateLimit?

        @OptionGroup var metered: MeteredOption

        @OptionGroup(title: "What is sent") var sending: SendingOptions

        @Flag(help: "Leave it to the background; “byteclub transfers” shows how far it is.")
        var background = false

        @Option(help: "The name in the club, for a single photo; else that of the file.")
        var name: String?

        @Argument(
            help: "JPEG, PNG, HEIC, AVIF, WebP, TIFF, GIF, BMP or PNM files.",
            completion: .file(extensions: [
                "jpg", "jpeg", "png", "heic", "heif", "webp", "avif", "tif", "tiff", "gif", "bmp",
                "ppm", "pgm", "pnm",
            ]))
        var files: [String]

        func validate() throws {
            if name != nil, files.count > 1 {
                throw ValidationError("--name is for a single photo. Add the photos one by one.")
            }
            if files.contains("-") {
                throw ValidationError(
                    "Standard input is not supported here; give a file, or “./-” for one of that name."
                )
            }
        }

        /// The destination of a file.
        private func path(
            of file: URL, _ preparation: PhotoPreparation
        ) throws(StoreError) -> RemotePath {
            try ClubFiles.photosFolder().appending(
                newName: ClubFiles.photoName(
                    for: file, named: name, keepsOriginal: preparation.keepsOriginal))
        }

        func run() async throws {
            Output.endsUnread.store(false, ordering: .relaxed)
            if name?.contains("/") == true { throw CommandFailure.slashInPhotoName }
            if name?.isEmpty == true {
                throw CommandFailure(localized("The name is empty. Nothing was added."))
            }
            if background { return try await order() }
            let registry = ClubRegistry()
            let club = try club.choose(registry)
            let settings = registry.settings().transfers
            let store = try await ClubOptions.open(
                club, registry, avoidsMeteredNetworks: metered.avoidsMeteredNetworks(settings))
            let changes = OwnChanges(in: club, registry)
            let transfers = registry.transfersFolder(of: club)
            let hasFailed = try await Interruption.cancelling {
                var hasFailed = false
                for file in files {
                    do {
                        try await put(
                            URL(filePath: file), in: store, settings, announcing: changes,
                            keepingIn: transfers)
                    } catch let failure as CommandFailure {
                        if json.isOn {
                            let source = URL(filePath: file)
                            let path = try? path(of: source, sending.preparation(settings))
                            let name = path?.name ?? source.lastPathComponent
                            TransferEvent(event: "failed", name: name, reason: failure.sentence)
                                .write()
                        }
                        Output.complain(failure.sentence)
                        hasFailed = true
                    }
                }
                return hasFailed
            }
            if hasFailed { throw ExitCode(1) }
        }

        private func order() async throws {
            let registry = ClubRegistry()
            let settings = try club.choose(registry)
            let transfers = registry.settings().transfers
            var orders: [TransferOrder] = []
            var named: [RemotePath: String] = [:]
            for file in files {
                let preparation = sending.preparation(transfers)
                let source = try Self.source(file, keepsOriginal: preparation.keepsOriginal)
                let path = try path(of: source, preparation)
                if let other = named.updateValue(file, forKey: path) {
                    throw CommandFailure(
                        other == file
                            ? localized(
                                "“\(file)” is named twice. Nothing was ordered; name it once.")
                            : localized(
                                "“\(other)” and “\(file)” would both be “\(path.name)” in the club. Nothing "
                                    + "was ordered; rename one of them."))
                }
                var order = TransferOrder(.upload, path, file: source)
                order.preparation = preparation
                order.bytesPerSecondLimit =
                    (limitRate ?? .standard(transfers)).bytesPerSecond
                orders.append(order)
            }
            try await Orders(settings, registry).add(orders)
            for order in orders { TransferEvent.write(queued: order, asJSON: json.isOn) }
        }

        /// A file that remains readable for a background transfer.
        private static func source(_ file: String, keepsOriginal: Bool) throws -> URL {
            let source = URL(filePath: file).standardizedFileURL
            var status = stat()
            guard stat(source.path, &status) == 0, access(source.path, R_OK) == 0 else {
                let reason = String(cString: strerror(errno))
                throw CommandFailure(
                    localized("“\(file)” cannot be read: \(reason). Nothing was ordered."))
            }
            guard status.st_mode & S_IFMT != S_IFDIR else {
                throw CommandFailure(
                    localized("“\(file)” is a folder. Nothing was ordered; name the photos in it."))
            }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure(
                    localized(
                        "“\(file)” is not an ordinary file. Nothing was ordered; save it as one first."
                    ))
            }
            let format = FileFormat(of: source)
            let isPicture = format.map(FileFormat.openable.contains) == true
            guard isPicture, !keepsOriginal || format?.photoEnding != nil else {
                let code: PictureError.Code =
                    isPicture ? .onlyAsJPEG : status.st_size == 0 ? .empty : .notAPicture
                let error = PictureError(code, operation: "add", format: format)
                throw CommandFailure(
                    localized(
                        "“\(file)” cannot be added because \(error.reason). Nothing was ordered."))
            }
            return source
        }

        @MainActor private func put(
            _ file: URL, in store: any RemoteStore, _ settings: TransferSettings,
            announcing changes: OwnChanges, keepingIn transfers: URL
        ) async throws {
            let name = file.lastPathComponent
            let photo: PreparedPhoto
            let preparation = sending.preparation(settings)
            let path: RemotePath
            do throws(StoreError) {
                path = try self.path(of: file, preparation)
            } catch {
                throw CommandFailure(localized("“\(name)” was not added."), error)
            }
            let upload = await CommandUpload.begin(file, to: path, in: transfers)
            // Nothing is sent if the name is taken; if it is taken meanwhile, the club refuses it. What was sent before a
            // kill may have arrived after it.
            let there = try? await store.metadata(of: path)
            if there != nil, upload?.isResumed != true {
                await upload?.end(isOfUse: false)
                throw await Self.taken(path, in: store, adding: name)
            }
            do throws(PictureError) {
                if !json.isOn { Output.status(localized("\(name)  preparing")) }
                photo = try await PictureWorkers.shared.prepare(file, as: preparation)
            } catch {
                Output.clearStatus()
                await upload?.end(isOfUse: true)
                if error.code == .cancelled { throw StoreError(.cancelled, during: .upload) }
                if error.code == .tooLargeToReencode {
                    throw CommandFailure(
                        localized(
                            "“\(name)” was not added because \(error.reason). Send it as it is with --original."
                        ))
                }
                throw CommandFailure(localized("“\(name)” was not added because \(error.reason)."))
            }
            // Its file exists as long as it does.
            defer { withExtendedLifetime(photo) {} }
            if let there {
                await upload?.end(isOfUse: false)
                guard await photo.isContent(of: there, isAssumed: false) else {
                    throw await Self.taken(path, in: store, adding: name)
                }
                Output.clearStatus()
                return report(there)
            }
            do throws(StoreError) {
                let sent = try await changes.sending(fileAt: photo.url, to: path) {
                    () throws(StoreError) in
                    try await CommandTransfer.run(
                        json.isOn ? path.name : name, asJSON: json.isOn, isUpload: true,
                        goingOnFrom: upload?.keptByteCount ?? 0
                    ) { delegate in
                        let transfer = store.upload(
                            fileAt: photo.url, to: path, mode: .create, record: upload?.record,
                            delegate: delegate)
                        transfer.bytesPerSecondLimit =
                            (limitRate ?? .standard(settings)).bytesPerSecond
                        return transfer
                    }
                }
                await upload?.end(isOfUse: false)
                report(sent)
            } catch {
                // Under this name it will never be in the club.
                var isOfUse = true
                if case .conflict = error.code { isOfUse = false }
                await upload?.end(isOfUse: isOfUse)
                switch error.code {
                case .cancelled: throw error
                case .conflict:
                    // A gateway that performs a request twice refuses what it has just stored.
                    if error.hasSameBytes, let there = try? await store.metadata(of: path),
                        await photo.isContent(of: there, isAssumed: true)
                    {
                        return report(there)
                    }
                    throw await Self.taken(path, in: store, adding: name)
                default: throw CommandFailure(localized("“\(name)” was not added."), error)
                }
            }
        }

        private func report(_ photo: RemoteFile) {
            guard json.isOn else { return }
            TransferEvent(
                event: "done", name: photo.name, path: photo.path.string,
                revision: photo.revision.rawValue
            ).write()
        }

        /// The failure for a name that is taken, with one that is free.
        private static func taken(
            _ path: RemotePath, in store: any RemoteStore, adding file: String
        ) async -> CommandFailure {
            let photos = try? await store.list(ClubFiles.photosFolder(), recursive: false)
            let taken = Set((photos?.entries ?? []).map { $0.path.name.lowercased() })
            let free = PhotoName.free(like: path.name) { taken.contains($0.lowercased()) }
            return CommandFailure(
                localized(
                    "“\(file)” was not added: the club has a photo “\(path.name)” already. With --name “\(free)” it is added beside that one."
                ))
        }
    }
}
