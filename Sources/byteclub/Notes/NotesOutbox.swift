import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import ByteClubMessages

/// Changes of notes while the club is unreachable: they go to the outbox of the local copy, as the app's do.
final class NotesOutbox {
    private let copy: LocalCopy
    private let drafts: DraftStore
    private let reason: StoreError
    private var hasReported = false

    /// - Parameter error: Why the club could not be asked.
    /// - Returns: Nil for an error that does not concern the connection, or that the user must correct.
    init?(_ club: ClubSettings, _ registry: ClubRegistry, insteadOf error: StoreError) {
        guard Self.isReason(error, toWaitFor: club) else { return nil }
        copy = LocalCopy(folder: registry.libraryFolder(of: club))
        drafts = DraftStore(folder: registry.drafts(of: club))
        reason = error
    }

    /// Whether a change waits after an error, instead of failing. Why a server of one's own cannot start is for the
    /// user to read at once.
    static func isReason(_ error: StoreError, toWaitFor club: ClubSettings) -> Bool {
        club.mayWait(after: error) && !(error.underlying is EmbeddedClubError)
    }

    /// Reports on standard error that changes wait, once.
    private func report() {
        guard !hasReported else { return }
        hasReported = true
        let title = CommandFailure.words(for: reason).title
        Output.complain(
            localized(
                "\(title): the change waits here and is sent when Byte Club or byteclub outbox send next reaches the club."
            ) + CommandFailure.adviceInPassing(on: reason))
    }

    // MARK: - Notes

    /// The note that a name means, as far as it is known here, with what waits.
    func find(_ name: String) async throws -> RemoteFile {
        let known = try known()
        do {
            return try await NotePaths.find(name, in: known)
        } catch let failure as CommandFailure {
            // The club may have it.
            guard known.isListed else { throw reason }
            throw failure
        }
    }

    /// The same with its text.
    func fetch(_ name: String) async throws -> (file: RemoteFile, data: Data) {
        let known = try known()
        return try await NotePaths.with(name, in: known) { path throws(StoreError) in
            try await known.fetch(path)
        }
    }

    /// - Throws: The original error if nothing is known of the club here.
    private func known() throws(StoreError) -> KeptFiles {
        guard let known = try? KeptFiles(of: copy) else { throw reason }
        return known
    }

    // MARK: - Changes

    /// - Parameter wasAttempted: Whether the club was asked to write it; it may have done so.
    func add(_ text: Data, at path: RemotePath, wasAttempted: Bool) async throws -> RemoteFile {
        try await requireFree(path)
        return try enqueue(
            .write(text, at: path, mode: .create), wasAttempted: wasAttempted)
    }

    /// - Parameters:
    ///   - base: The text that was edited, if known: changes by other members are merged with it.
    ///   - wasAttempted: See ``add(_:at:wasAttempted:)``.
    func update(
        _ note: RemoteFile, from base: Data?, to text: Data, wasAttempted: Bool
    ) throws -> RemoteFile {
        if let base, note.revision.waitingChange == nil { try? copy.keep([(note, base)]) }
        let mode = RemoteWriteMode.update(note.revision, contentHash: note.contentHash)
        return try enqueue(
            .write(text, at: note.path, mode: mode), wasAttempted: wasAttempted)
    }

    func move(_ note: RemoteFile, to target: RemotePath) async throws -> RemoteFile {
        let isOtherCase = target.string.lowercased() == note.path.string.lowercased()
        if !isOtherCase { try await requireFree(target) }
        let moved = try enqueue(.move(note, to: target))
        drafts.moveDrafts(of: .file(note), to: .file(moved))
        return moved
    }

    func remove(_ note: RemoteFile) throws {
        do {
            // By number: the deletion of a note whose new name waits is one of the old name.
            let before = try deletionCount
            try copy.enqueue(.delete(note))
            if try deletionCount > before {
                report()
            } else {
                Output.complain(
                    localized("“\(note.name)” was only here: it is taken back, and nothing waits."))
            }
        } catch let error as LibraryError {
            throw CommandFailure(error.description)
        }
    }

    private var deletionCount: Int {
        get throws { try copy.waitingChanges().count { $0.action == .delete } }
    }

    private func enqueue(
        _ intent: Intent, wasAttempted: Bool = false
    ) throws -> RemoteFile {
        // What was refused at the door was not sent.
        let mayHaveArrived =
            wasAttempted && reason.connectionFailure != .refused
            && reason.connectionFailure != .unknownHost
        do {
            guard let file = try copy.enqueue(intent, wasAttempted: mayHaveArrived) else {
                throw reason
            }
            report()
            return file
        } catch let error as LibraryError {
            throw CommandFailure(error.description)
        }
    }

    /// - Throws: `CommandFailure` if the name is taken, as far as it is known here.
    private func requireFree(_ path: RemotePath) async throws {
        guard let known = try? KeptFiles(of: copy),
            try await NamedNotes.there(path, in: known) != nil
        else { return }
        throw CommandFailure(localized("There is a note “\(path.name)” already."))
    }
}
