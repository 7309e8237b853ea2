package import ClubLibrary
package import ClubStore
package import FoundationEssentials

/// Records this computer's changes, for all of the app's windows: the server does not say who made a change,
/// and only others' changes are unread.
///
/// If the author is unknown, the change counts as someone else's.
package struct OwnChanges: Sendable {
    /// The folder of the local copy.
    private let folder: URL
    /// The drafts of the app's editor, if known.
    private let drafts: DraftStore?

    package init(in club: ClubSettings, _ registry: ClubRegistry) {
        self.init(
            libraryFolder: registry.libraryFolder(of: club),
            drafts: DraftStore(folder: registry.drafts(of: club)))
    }

    package init(libraryFolder: URL, drafts: DraftStore? = nil) {
        (folder, self.drafts) = (libraryFolder, drafts)
    }

    /// Records that a file is in the state written by this computer.
    @concurrent package func record(_ file: RemoteFile) async {
        try? copy?.recordOwnWrite(file)
    }

    /// Records that this computer has renamed a file: nothing was deleted, and its drafts follow it.
    @concurrent package func recordMove(of file: RemoteFile, to moved: RemoteFile) async {
        drafts?.moveDrafts(of: .file(file), to: .file(moved))
        guard let copy else { return }
        try? copy.recordMove(of: file.path, in: file.revision, to: moved)
        try? copy.recordOwnWrite(moved)
    }

    // The callers are on an actor, and come back to it by the `isolation` parameter: without it, Swift 6.3 goes on
    // elsewhere in release builds, because the last call is `@concurrent`.

    /// Announces a write to a path and records its result.
    ///
    /// - Parameter data: The bytes, if available.
    /// - Throws: The error of `write`.
    package func writing(
        _ data: Data? = nil, at path: RemotePath, isolation: isolated (any Actor)? = #isolation,
        _ write: () async throws(StoreError) -> RemoteFile
    ) async throws(StoreError) -> RemoteFile {
        try await announce(await begin(data, at: path), write)
    }

    /// The same for a file on this computer, which may take long to send.
    package func sending(
        fileAt file: URL, to path: RemotePath, isolation: isolated (any Actor)? = #isolation,
        _ send: () async throws(StoreError) -> RemoteFile
    ) async throws(StoreError) -> RemoteFile {
        let begun = await begin(fileAt: file, at: path)
        // An old announcement counts as abandoned.
        let renewing = Task {
            while (try? await Pause.sleep(for: Self.renewalInterval)) != nil {
                await Self.renew(begun)
            }
        }
        defer { renewing.cancel() }
        return try await announce(begun, send)
    }

    private static let renewalInterval = Duration.seconds(20)

    private func announce(
        _ begun: Begun?, isolation: isolated (any Actor)? = #isolation,
        _ write: () async throws(StoreError) -> RemoteFile
    ) async throws(StoreError) -> RemoteFile {
        do throws(StoreError) {
            let file = try await write()
            await end(begun, as: file)
            return file
        } catch {
            // After a lost connection the write may have arrived.
            if !error.isConnectionFailure { await end(begun, as: nil) }
            throw error
        }
    }

    private typealias Begun = (copy: LocalCopy, id: OwnWrite.ID)

    @concurrent private func begin(_ data: Data?, at path: RemotePath) async -> Begun? {
        guard let copy, let id = try? copy.beginOwnWrite(at: path, data) else { return nil }
        return (copy, id)
    }

    @concurrent private func begin(fileAt file: URL, at path: RemotePath) async -> Begun? {
        guard let copy, let id = try? copy.beginOwnWrite(at: path, fileAt: file) else { return nil }
        return (copy, id)
    }

    @concurrent private static func renew(_ begun: Begun?) async {
        try? begun?.copy.renewOwnWrite(begun?.id ?? 0)
    }

    @concurrent private func end(_ begun: Begun?, as file: RemoteFile?) async {
        try? begun?.copy.endOwnWrite(begun?.id ?? 0, as: file)
    }

    /// Nil if no window has ever shown the club: in a new copy nothing is unread.
    private var copy: LocalCopy? { LocalCopy(existingIn: folder) }
}
