import ArgumentParser
import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials
import Glibc
import Pictures

struct PhotosCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photos", abstract: "List, add and fetch panoramas.",
        subcommands: [List.self, Put.self, Get.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls", abstract: "List the photos.",
            discussion: """
                With --json: an array of objects with name, size (bytes), modified (ISO 8601, UTC), \
                revision and path.
                """)

        @OptionGroup var club: ClubOptions

        @Flag(help: "Write JSON.")
        var json = false

        func run() async throws {
            let store = try await club.open()
            let files = ClubFiles(try await store.list(.root, recursive: true))
            try Output.list(files.photos, of: files, asJSON: json)
        }
    }

    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "put", abstract: "Add photos to the club.",
            discussion: """
                They are encoded anew as JPEG, upright and without their metadata; the files on \
                this computer stay as they are. A photo of the same name in the club is never replaced.
                """)

        @OptionGroup var club: ClubOptions

        @Argument(
            help: "JPEG or PNG files.", completion: .file(extensions: ["jpg", "jpeg", "png"]))
        var files: [String]

        func run() async throws {
            let store = try await club.open()
            let settings = ClubRegistry().settings().transfers
            let hasFailed = try await Interruption.cancelling {
                var hasFailed = false
                for file in files {
                    do {
                        try await put(URL(filePath: file), in: store, settings)
                    } catch let failure as CommandFailure {
                        Output.complain(failure.sentence)
                        hasFailed = true
                    }
                }
                return hasFailed
            }
            if hasFailed { throw ExitCode(1) }
        }

        @MainActor private func put(
            _ file: URL, in store: any RemoteStore, _ settings: TransferSettings
        ) async throws {
            let name = file.lastPathComponent
            let photo: PreparedPhoto
            do throws(PictureError) {
                Output.status("\(name)  getting ready")
                photo = try await PictureWorkers.shared.reencode(
                    file, quality: settings.photoQuality)
            } catch {
                if error.code == .cancelled { throw StoreError(.cancelled, during: .upload) }
                throw CommandFailure("“\(name)” was not added because \(error.reason).")
            }
            // Its file is there as long as it is.
            defer { withExtendedLifetime(photo) {} }
            do throws(StoreError) {
                let path = try ClubFiles.photosFolder()
                    .appending(newName: ClubFiles.photoName(for: name))
                _ = try await CommandTransfer.run(name) { delegate in
                    let transfer = store.upload(
                        fileAt: photo.url, to: path, mode: .create, delegate: delegate)
                    transfer.bytesPerSecondLimit = settings.bytesPerSecondLimit
                    return transfer
                }
            } catch {
                if error.code == .cancelled { throw error }
                throw CommandFailure("“\(name)” was not added.", error)
            }
        }
    }

    struct Get: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "get", abstract: "Fetch a photo from the club.",
            discussion: """
                The file appears when it is whole and verified; one that is there is replaced only with \
                --force. With --resume, what has arrived of an interrupted download is kept beside it, and the \
                next one goes on from there.
                """)

        @OptionGroup var club: ClubOptions

        @Argument(help: "The photo's name in the club.")
        var name: String

        @Argument(
            help: "Where to put it: a folder or a file's name; the current folder unless said.",
            completion: .file())
        var destination: String?

        @Flag(
            help: "Go on where an interrupted download stopped, and keep what arrives of this one.")
        var resume = false

        @Flag(help: "Replace a file of that name.")
        var force = false

        @Option(
            help: ArgumentHelp(
                "At most so many bytes a second: 500K, 4M.", valueName: "rate"))
        var limitRate: ByteRate?

        func run() async throws {
            let folder = try ClubFiles.photosFolder()
            var path = try folder.appending(name)
            let file = target()
            try checkMayWrite(file)
            let store = try await club.open()
            // Photos are stored composed (NFC); a name from a file system may be decomposed.
            if let stored = try? folder.appending(newName: name), stored != path,
                try await !store.hasFile(at: path)
            {
                path = stored
            }
            let settings = ClubRegistry().settings().transfers
            let wanted = path
            try await Interruption.cancelling {
                do throws(StoreError) {
                    _ = try await CommandTransfer.run(name) { delegate in
                        let transfer = store.download(
                            wanted, to: file, keepsPartialFile: resume, delegate: delegate)
                        transfer.bytesPerSecondLimit =
                            limitRate?.bytesPerSecond ?? settings.bytesPerSecondLimit
                        return transfer
                    }
                } catch {
                    if error.code == .notFound {
                        throw CommandFailure("There is no photo “\(name)” in the club.")
                    }
                    throw CommandFailure("“\(name)” was not fetched.", error)
                }
            }
        }

        private func checkMayWrite(_ file: URL) throws {
            var status = stat()
            guard lstat(file.path, &status) == 0 else { return }
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure("“\(file.path)” is not an ordinary file. Nothing was fetched.")
            }
            guard force else {
                throw CommandFailure(
                    "There is a file “\(file.path)” already. Nothing was fetched; --force replaces it."
                )
            }
        }

        private func target() -> URL {
            let place = URL(filePath: destination ?? ".")
            var isFolder = false
            let isThere = FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder)
            let isMeantAsFolder = destination?.hasSuffix("/") ?? true
            return isMeantAsFolder || (isThere && isFolder) ? place.appending(path: name) : place
        }
    }
}
