internal import ClubLibrary
package import ClubStore
package import FoundationEssentials

/// Tells the app's windows on this computer that a change in the club is this person's own: the server does
/// not say who has made it, and only what others have changed is unread.
///
/// What cannot be told is not: the change then counts as another's until it was looked at.
package struct OwnChanges: Sendable {
    /// Where the local copy of the club is.
    private let folder: URL

    package init(in club: ClubSettings, _ registry: ClubRegistry) {
        self.init(libraryFolder: registry.libraryFolder(of: club))
    }

    package init(libraryFolder: URL) { folder = libraryFolder }

    /// Says that a file is as this computer has made it.
    @concurrent package func record(_ file: RemoteFile) async {
        try? copy?.recordOwnWrite(file)
    }

    /// Says that a file has another name now by this computer's doing: nothing was deleted.
    @concurrent package func recordMove(of file: RemoteFile, to moved: RemoteFile) async {
        guard let copy else { return }
        try? copy.recordMove(of: file.path, in: file.revision, to: moved)
        try? copy.recordOwnWrite(moved)
    }

    /// Says that what appears at a path soon was written here, and then what became of it.
    ///
    /// - Parameter data: The bytes, where they are at hand.
    /// - Throws: What `write` throws.
    package func writing(
        _ data: Data? = nil, at path: RemotePath,
        _ write: () async throws(StoreError) -> RemoteFile
    ) async throws(StoreError) -> RemoteFile {
        let begun = await begin(data, at: path)
        do throws(StoreError) {
            let file = try await write()
            await end(begun, as: file)
            return file
        } catch {
            // After a cut connection it may have arrived.
            if !error.isConnectionFailure { await end(begun, as: nil) }
            throw error
        }
    }

    private typealias Begun = (copy: LocalCopy, id: OwnWrite.ID)

    @concurrent private func begin(_ data: Data?, at path: RemotePath) async -> Begun? {
        guard let copy, let id = try? copy.beginOwnWrite(at: path, data) else { return nil }
        return (copy, id)
    }

    @concurrent private func end(_ begun: Begun?, as file: RemoteFile?) async {
        try? begun?.copy.endOwnWrite(begun?.id ?? 0, as: file)
    }

    /// Nil where no window has ever shown the club: opening a copy makes it, and at the first look nothing is
    /// unread.
    private var copy: LocalCopy? {
        guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
        return LocalCopy(folder: folder)
    }
}
