import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Glibc
import ByteClubMessages
import Synchronization

struct PhotosGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Fetch a photo from the club.",
        discussion: """
            The file appears when it is whole and verified; one that is there is replaced only with --force, \
            or after a yes where a terminal can be asked. With --resume, what has arrived of an interrupted \
            download is kept beside it, and the next one of the same revision goes on from there. With “-” the \
            photo goes to standard output, once it is whole.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(
        help: "The photo's name in the club; its ending can be left off.",
        completion: Proposals.photos)
    var name: String

    @Argument(
        help:
            "Where to put it: a folder, a file's name, or - for standard output; default: the current folder.",
        completion: .file())
    var destination: String?

    @Flag(help: "Go on where an interrupted download stopped, and keep what arrives of this one.")
    var resume = false

    @Flag(help: "Replace a file of that name.")
    var force = false

    @Option(
        help: ArgumentHelp("At most so many bytes a second: 500K, 4M; or none.", valueName: "rate"))
    var limitRate: RateLimit?

    @OptionGroup var metered: MeteredOption

    @Flag(help: "Leave it to the background; “byteclub transfers” shows how far it is.")
    var background = false

    private var isForOutput: Bool { destination == "-" }

    func validate() throws {
        guard isForOutput else { return }
        if json.isOn {
            throw ValidationError("--json and the photo cannot both go to standard output.")
        }
        if resume { throw ValidationError("--resume needs a file to go on with.") }
        if background { throw ValidationError("--background needs a file to write to.") }
    }

    func run() async throws {
        guard isForOutput else {
            Output.endsUnread.store(false, ordering: .relaxed)
            return background ? try await order() : try await fetch { try await askToWrite($0) }
        }
        guard !Output.isTerminal else {
            throw CommandFailure(
                localized("A photo on a terminal is noise. Redirect the output, or name a file."))
        }
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-get-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "photo")
        try await fetch { _ in (file, .toCreate) }
        try Output.copy(file, removing: folder)
    }

    private func order() async throws {
        let registry = ClubRegistry()
        let settings = try club.choose(registry)
        var path = try ClubFiles.photosFolder().appending(name)
        let reader = try await club.openForReading()
        do {
            path = try await PhotoPaths.find(name, of: reader).path
        } catch {
            // A complete name can be queued while the club is unreachable: it may be newer than what is known here.
            guard PhotoName.isPhoto(name), reader.isKept else { throw error }
        }
        let target = try await askToWrite(path.name)
        let parent = target.file.deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: parent) else {
            let sentence = DestinationProblem.hasNoFolder.sentence(about: target.file.path) ?? ""
            throw CommandFailure(localized("“\(path.name)” was not fetched. \(sentence)"))
        }
        var order = TransferOrder(.download, path, file: target.file.standardizedFileURL)
        order.replaces = target.permission == .toReplace
        order.bytesPerSecondLimit =
            (limitRate ?? .standard(registry.settings().transfers)).bytesPerSecond
        try await Orders(settings, registry).add([order])
        TransferEvent.write(queued: order, asJSON: json.isOn)
    }

    /// - Parameter choose: Chooses the file for a photo's name.
    private func fetch(to choose: (String) async throws -> Target) async throws {
        do {
            let settings = ClubRegistry().settings().transfers
            let store = try await club.open(
                avoidsMeteredNetworks: metered.avoidsMeteredNetworks(settings))
            let path = try await PhotoPaths.find(name, of: store).path
            let target = try await choose(path.name)
            let photo = try await download(path, of: store, to: target, settings)
            guard json.isOn else { return }
            TransferEvent(
                event: "done", name: photo.name, bytes: photo.byteCount, total: photo.byteCount,
                path: target.file.path, revision: photo.revision.rawValue
            ).write()
        } catch let failure as CommandFailure {
            if json.isOn {
                TransferEvent(event: "failed", name: name, reason: failure.sentence).write()
            }
            throw failure
        }
    }

    private func download(
        _ path: RemotePath, of store: any RemoteStore, to target: Target,
        _ settings: TransferSettings
    ) async throws -> RemoteFile {
        let (name, file) = (path.name, target.file)
        return try await Interruption.cancelling {
            do throws(StoreError) {
                return try await CommandTransfer.run(name, asJSON: json.isOn) { delegate in
                    let transfer = store.download(
                        path, to: file, keepsPartialFile: resume,
                        replaces: target.permission == .toReplace, delegate: delegate)
                    transfer.bytesPerSecondLimit =
                        (limitRate ?? .standard(settings)).bytesPerSecond
                    return transfer
                }
            } catch {
                if error.code == .notFound { throw CommandFailure(noPhoto: name) }
                if let problem = error.underlying as? DestinationProblem,
                    let sentence = problem.sentence(about: file.path)
                {
                    throw CommandFailure(localized("“\(name)” was not fetched. \(sentence)"))
                }
                throw CommandFailure(localized("“\(name)” was not fetched."), error)
            }
        }
    }

    private typealias Target = (file: URL, permission: Permission)

    private enum Permission {
        case toReplace
        /// Fails if a file appears while the photo is fetched.
        case toCreate
    }

    /// Asks before replacing a file.
    private func askToWrite(_ name: String) async throws -> Target {
        let file = target(of: name)
        var status = stat()
        guard lstat(file.path, &status) == 0 else { return (file, force ? .toReplace : .toCreate) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(
                localized("“\(file.path)” is not an ordinary file. Nothing was fetched."))
        }
        guard !force else { return (file, .toReplace) }
        let taken = localized("There is a file “\(file.path)” already.")
        guard !json.isOn, isatty(STDIN_FILENO) == 1, Output.isErrorTerminal else {
            throw CommandFailure(localized("\(taken) Nothing was fetched; --force replaces it."))
        }
        Output.prompt(Output.shown(localized("\(taken) Replace it? [y/N] ")))
        let answer = await StandardInput.line(limit: 100)
        guard let answer, ["y", "yes"].contains(answer.lowercased()) else {
            throw CommandFailure(localized("Nothing was fetched."))
        }
        return (file, .toReplace)
    }

    private func target(of name: String) -> URL {
        let place = URL(filePath: destination ?? ".")
        var isFolder = false
        let isThere = FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder)
        let isMeantAsFolder = destination?.hasSuffix("/") ?? true
        return isMeantAsFolder || (isThere && isFolder)
            ? place.appending(path: PhotoName.onDisk(name)) : place
    }
}
