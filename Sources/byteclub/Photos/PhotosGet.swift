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
            The file appears once it is complete and verified. An existing file is replaced only with --force, \
            or after confirmation on a terminal. With --resume, the partial file of an interrupted download is \
            kept beside it, and the next download of the same revision resumes from it. With “-” the photo is \
            written to standard output once it is complete.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(
        help: "The photo's name in the club; its extension can be omitted.",
        completion: Proposals.photos)
    var name: String

    @Argument(
        help:
            "The destination: a folder, a file, or - for standard output (default: the current folder).",
        completion: .file())
    var destination: String?

    @Flag(help: "Resume where an interrupted download stopped, and keep this one's partial file.")
    var resume = false

    @Flag(help: "Replace a file of that name.")
    var force = false

    @Option(
        help: ArgumentHelp("Maximum bytes per second: 500K, 4M; or none.", valueName: "rate"))
    var limitRate: RateLimit?

    @OptionGroup var metered: MeteredOption

    @Flag(help: "Run in the background; “byteclub transfers” shows the progress.")
    var background = false

    private var isForOutput: Bool { destination == "-" }

    func validate() throws {
        guard isForOutput else { return }
        if json.isOn {
            throw ValidationError("--json and the photo cannot both go to standard output.")
        }
        if resume { throw ValidationError("--resume needs a file to continue.") }
        if background { throw ValidationError("--background needs a file to write to.") }
    }

    func run() async throws {
        guard isForOutput else {
            Output.endsUnread.store(false, ordering: .relaxed)
            return background
                ? try await reporting { try await order(resolving: &$0) }
                : try await fetch { try await askToWrite($0) }
        }
        guard !Output.isTerminal else {
            throw CommandFailure(
                localized("A photo on a terminal is noise. Redirect the output, or name a file."))
        }
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "byteclub-get-\(UUID().uuidString)")
        guard mkdir(folder.path, 0o700) == 0 else {
            throw CommandFailure(
                noTemporaryFile: [ENOSPC, EDQUOT].contains(errno) ? .diskFull : .forbidden)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "photo")
        try await fetch { _ in (file, .toCreate) }
        try Output.copy(file, removing: folder)
    }

    /// Writes an event for whatever failure ends the command.
    ///
    /// - Parameter body: Replaces the name that was typed by the photo's, as soon as it is known.
    private func reporting(_ body: (inout String) async throws -> Void) async throws {
        var shownName = name
        do {
            try await body(&shownName)
        } catch {
            if json.isOn {
                TransferEvent(
                    event: "failed", name: shownName, reason: CommandFailure.sentence(for: error)
                ).write()
            }
            throw error
        }
    }

    private func order(resolving shownName: inout String) async throws {
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
        shownName = path.name
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
        try await reporting { shownName in
            let settings = ClubRegistry().settings().transfers
            let store = try await club.open(
                avoidsMeteredNetworks: metered.avoidsMeteredNetworks(settings))
            let path = try await PhotoPaths.find(name, of: store).path
            shownName = path.name
            let target = try await choose(path.name)
            let photo = try await download(path, of: store, to: target, settings)
            guard json.isOn else { return }
            TransferEvent(
                event: "done", name: shownName, bytes: photo.byteCount, total: photo.byteCount,
                path: target.file.path, revision: photo.revision.rawValue
            ).write()
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
                if isForOutput, let problem = error.underlying as? DestinationProblem {
                    throw CommandFailure(noTemporaryFile: problem)
                }
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
        let answer = await StandardInput.line(limit: 100).text
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

extension CommandFailure {
    /// What goes to standard output is a file first, for which the user has named no folder.
    fileprivate init(noTemporaryFile problem: DestinationProblem) {
        let folder = FileManager.default.temporaryDirectory.path
        self.init(
            problem == .diskFull
                ? localized(
                    "The folder for temporary files, “\(folder)”, is full. Nothing was fetched; make room, or set TMPDIR to another folder."
                )
                : localized(
                    "No file can be made in the folder for temporary files, “\(folder)”. Nothing was fetched; set TMPDIR to another folder."
                ))
    }

    /// The words of any error, as the program ends with them.
    fileprivate static func sentence(for error: any Error) -> String {
        switch error {
        case let failure as CommandFailure: failure.sentence
        case let error as StoreError: CommandFailure(error).sentence
        default: ByteClubCommand.message(for: error)
        }
    }
}
