import ArgumentParser
import ByteClubMessages
import ByteClubPictures
import ClubAccess
import ClubStore
import FoundationEssentials
import Synchronization

struct PhotosPut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Add photos to the club.",
        discussion: """
            Photos are re-encoded as upright JPEG, or sent unchanged with --original. Camera, date, artist and \
            copyright are kept; the location is removed unless --keep-location is given. The files on this \
            computer are not changed. A photo of the same name in the club is never replaced. An interrupted \
            upload resumes where it stopped, if the club supports that, when the same file is sent to the \
            same name again. Settings for all photos: transfers in config.yml.
            """)

    @OptionGroup var club: ClubOptions

    @OptionGroup var json: JSONOption

    @Option(
        help: ArgumentHelp(
            "Maximum bytes per second: 500K, 4M; or none.", valueName: "rate"))
    var limitRate: RateLimit?

    @OptionGroup var metered: MeteredOption

    @OptionGroup(title: "What is sent") var sending: SendingOptions

    @Flag(help: "Run in the background; “byteclub transfers” shows the progress.")
    var background = false

    @Option(help: "The name in the club, for a single photo (default: the file's name).")
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
    func path(
        of file: URL, _ preparation: PhotoPreparation
    ) throws(StoreError) -> RemotePath {
        try ClubFiles.photosFolder().appending(
            newName: ClubFiles.photoName(
                for: file, named: name, keepsOriginal: preparation.keepsOriginal))
    }

    /// Refuses a name that no list would show.
    func checkName(of file: URL, _ preparation: PhotoPreparation) throws(CommandFailure) {
        let nameInClub = ClubFiles.photoName(
            for: file, named: name, keepsOriginal: preparation.keepsOriginal)
        guard nameInClub.hasPrefix(".") else { return }
        throw name != nil
            ? CommandFailure.dotBeforePhotoName
            : CommandFailure(
                localized(
                    "“\(file.lastPathComponent)” was not added: no list shows a photo whose name begins with a dot. --name gives it another one."
                ))
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
        let preparation = sending.preparation(settings)
        let photos = PhotoSending(
            store: store, preparation: preparation,
            bytesPerSecondLimit: (limitRate ?? .standard(settings)).bytesPerSecond,
            isJSON: json.isOn, changes: OwnChanges(in: club, registry),
            folder: registry.transfersFolder(of: club))
        let hasFailed = try await Interruption.cancelling {
            var hasFailed = false
            for file in files {
                let source = URL(filePath: file)
                do {
                    try await put(source, by: photos)
                } catch let failure as CommandFailure {
                    if json.isOn {
                        let path = try? path(of: source, preparation)
                        let name = path?.name ?? source.lastPathComponent
                        TransferEvent(event: "failed", name: name, reason: failure.sentence)
                            .write()
                    }
                    Output.complain(failure)
                    hasFailed = true
                }
            }
            return hasFailed
        }
        if hasFailed { throw ExitCode(1) }
    }

    @MainActor private func put(_ file: URL, by photos: PhotoSending) async throws {
        try checkName(of: file, photos.preparation)
        let path: RemotePath
        do throws(StoreError) {
            path = try self.path(of: file, photos.preparation)
        } catch {
            let name = file.lastPathComponent
            throw CommandFailure(localized("“\(name)” was not added."), error)
        }
        try await photos.put(file, to: path)
    }
}
