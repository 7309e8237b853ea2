import ArgumentParser
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials

struct PhotosTrash: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trash", abstract: "List the removed photos, the latest first.",
        discussion: """
            byteclub photos restore NAME brings one back. If the club itself keeps removed files (Dropbox, \
            Nextcloud, the club on this computer), those that this computer has seen are listed, of the club on \
            this computer only what it still has; otherwise all that are kept. With --json: an array of objects with name, path, size (bytes), modified, revision, \
            deleted (both times ISO 8601, UTC) and, if known, own (whether it was removed here).
            """)

    @OptionGroup var club: ClubOptions
    @OptionGroup var json: JSONOption

    func run() async throws {
        let registry = ClubRegistry()
        let club = try club.choose(registry)
        let store = try await ClubOptions.open(club, registry)
        let contents = try await Self.photos(in: store)
        var removed: [(file: RemoteFile, date: Date, isOwn: Bool?)] =
            try await store.trashStore == nil
            ? []
            : try await Self.seen(in: registry.libraryFolder(of: club))
                .filter { !contents.has(again: $0.file) }
        // Limits on what is kept, and a full disk, are those of this computer.
        if !club.needsSignIn, let keeper = try await store.trashStore {
            let kept = Set(await PhotoTrash.kept(removed.map(\.file), in: keeper))
            removed.removeAll { !kept.contains($0.file) }
        }
        removed += contents.photosInTrash.map { ($0.photo, $0.deleted, nil) }
        try Output.list(
            removed.sorted { $0.date > $1.date }
                .map { RemovedFile($0.file, at: $0.date, isOwn: $0.isOwn) },
            asJSON: json.isOn)
    }

    private static func photos(in store: any RemoteStore) async throws -> ClubContents {
        do throws(StoreError) {
            return ClubContents(
                listing: try await store.list(ClubFiles.photosFolder(), recursive: false))
        } catch {
            guard error.code == .notFound else { throw error }
            return ClubContents()
        }
    }

    /// The deletions that this computer's windows have seen.
    @concurrent private static func seen(
        in folder: URL
    ) async throws -> [(file: RemoteFile, date: Date, isOwn: Bool?)] {
        guard let copy = LocalCopy(existingIn: folder) else { return [] }
        do {
            return
                try copy.trash(withAllStatesIn: ClubFiles.photosFolder())
                .filter { ClubContents.kind(of: $0.file) == .photos }
                .map { ($0.file, $0.deleted, $0.isOwn) }
        } catch let error as LibraryError {
            throw CommandFailure(error.description)
        }
    }
}
