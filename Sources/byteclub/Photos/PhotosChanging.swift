import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

struct PhotosMove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv", abstract: "Rename a photo.",
        discussion: "An existing photo of the new name is never replaced.")

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The photo; its extension can be omitted.", completion: Proposals.photos)
    var name: String

    @Argument(help: "Its new name; the extension is kept, also when omitted.")
    var newName: String

    func run() async throws {
        if newName.contains("/") { throw CommandFailure.slashInPhotoName }
        let folder = try ClubFiles.photosFolder()
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let store = try await ClubOptions.open(club, registry)
        let path = try await PhotoPaths.find(name, of: store).path
        let target = try folder.appending(
            newName: ClubFiles.photoName(for: newName, renaming: path.name))
        guard !target.name.hasPrefix(".") else { throw CommandFailure.dotBeforePhotoName }
        guard target != path else {
            let wantsOtherKind = !path.name.hasPrefix(newName)
            throw CommandFailure(
                wantsOtherKind
                    ? localized(
                        "A photo keeps the ending of its kind, so “\(name)” would keep its name. Nothing was changed."
                    )
                    : localized("“\(name)” has that name already. Nothing was changed."))
        }
        let moved: RemoteFile
        do throws(StoreError) {
            moved = try await OwnChanges(in: club, registry).writing(at: target) {
                () throws(StoreError) in
                try await store.move(path, to: target).requireFile(during: .move)
            }
        } catch {
            switch error.code {
            case .notFound: throw CommandFailure(noPhoto: name)
            case .conflict:
                throw CommandFailure(
                    localized("There is a photo “\(target.name)” in the club. Nothing was changed.")
                )
            default:
                var error = error
                // The club says what it refuses of the request's path.
                if error.code == .nameNotAllowed { error.path = target }
                throw error
            }
        }
        if json.isOn { try Output.json(ListedFile(moved)) }
    }
}

struct PhotosRemove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm", abstract: "Remove photos.",
        discussion: """
            byteclub photos trash lists them, and byteclub photos restore brings one back. If the club keeps no \
            revisions, a removed photo stays in it for 30 days, hidden.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The photos; their extensions can be omitted.", completion: Proposals.photos)
    var names: [String]

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let store = try await ClubOptions.open(club, registry)
        let changes = OwnChanges(in: club, registry)
        let copy = LocalCopy(folder: registry.libraryFolder(of: club))
        try await Output.listing(asJSON: json.isOn) { removed in
            for name in names {
                // A folder contains many photos: this command removes one.
                let file = try await PhotoPaths.find(name, of: store)
                do throws(StoreError) {
                    try await Self.remove(file, from: store, telling: changes, keepingIn: copy)
                    removed.append(ListedFile(file))
                } catch {
                    guard error.code == .notFound else { throw error }
                    throw CommandFailure(noPhoto: name)
                }
            }
        }
    }

    private static func remove(
        _ file: RemoteFile, from store: any RemoteStore, telling changes: OwnChanges,
        keepingIn copy: LocalCopy
    ) async throws(StoreError) {
        guard try await store.trashStore == nil else {
            try await store.delete(file.path, ifRevision: file.revision)
            // Also if no window was open yet: the trash shows it.
            try? copy.recordOwnDeletion(of: file)
            return
        }
        let kept = try await PhotoTrash.take(file, in: store, at: Date())
        await changes.recordMove(of: file, to: kept)
    }
}

struct PhotosRestore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring back a photo that was removed.",
        discussion: """
            Restores the last state, or the given revision. If another photo has the name by now, the restored \
            one gets the next free name.
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    @Argument(help: "The photo; its extension can be omitted.", completion: Proposals.photos)
    var name: String

    @Argument(help: "A revision, as byteclub photos trash --json lists them.")
    var revision: String?

    func run() async throws {
        let folder = try ClubFiles.photosFolder()
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let store = try await ClubOptions.open(club, registry)
        let path = try await path(in: folder, of: store)
        let restored: RemoteFile
        do throws(StoreError) {
            let wanted = revision.map(Revision.init(word:))
            let known = wanted.flatMap { wanted in
                (try? LocalCopy(existingIn: registry.libraryFolder(of: club))?.deletions())?
                    .first { $0.file.path == path && $0.file.revision == wanted }
            }
            restored = try await PhotoTrash.restoreLast(
                path, revision: wanted, byteCount: known?.file.byteCount, in: store)
        } catch {
            switch error.code {
            case .notFound:
                throw CommandFailure(
                    localized("No photo “\(name)” was removed, or it is no longer kept."))
            case .conflict:
                throw CommandFailure(
                    localized("There is a photo “\(path.name)” in the club. Nothing was changed."))
            default: throw error
            }
        }
        await OwnChanges(in: club, registry).record(restored)
        if restored.name != path.name, !json.isOn {
            Output.notice(localized("Another photo has its name: it is “\(restored.name)” now."))
        }
        if json.isOn { try Output.json(ListedFile(restored)) }
    }

    /// The path of the removed photo with this exact name, or else with an extension.
    private func path(
        in folder: RemotePath, of store: any RemoteStore
    ) async throws -> RemotePath {
        let path = try folder.appending(newName: name)
        guard !PhotoName.isPhoto(name), try await !PhotoTrash.keeps(path, in: store) else {
            return path
        }
        var found: [RemotePath] = []
        for name in PhotoName.withEndings(name) {
            let other = try folder.appending(newName: name)
            if try await PhotoTrash.keeps(other, in: store) { found.append(other) }
        }
        guard found.count < 2 else { throw CommandFailure(several: found.map(\.name), for: name) }
        return found.first ?? path
    }
}
