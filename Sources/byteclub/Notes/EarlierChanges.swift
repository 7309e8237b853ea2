import ClubAccess
import ClubLibrary
import ClubStore
import ByteClubMessages

/// The changes that wait while a command changes notes in the club: they were made before it, so they are sent
/// before it.
struct EarlierChanges {
    /// Nil if nothing waits: opening a copy would create it.
    private let copy: LocalCopy?

    init(_ club: ClubSettings, _ registry: ClubRegistry) {
        let folder = registry.libraryFolder(of: club)
        copy = LocalCopy.waitingNumbers(in: folder).isEmpty ? nil : LocalCopy(folder: folder)
    }

    /// Sends them, if there are any, with a line on standard error for each.
    ///
    /// - Throws: `StoreError` if the club cannot be reached.
    func send(to store: any RemoteStore) async throws {
        guard let copy else { return }
        let sender = OutboxSender(copy, to: store) { CommandFailure.words(for: $0).text }
        do {
            _ = try await sender.run({ event in Output.notice(event.line) })
        } catch let error as LibraryError {
            throw CommandFailure(error.description)
        }
    }

    /// Verifies that no change of a note still waits: the club has refused it, or another Byte Club is sending it.
    ///
    /// - Throws: `CommandFailure`.
    func requireNone(of path: RemotePath) throws {
        guard let waiting = try? copy?.waitingChanges() else { return }
        let place = path.string.lowercased()
        let isConcerned = waiting.contains { change in
            change.path.string.lowercased() == place
                || change.destination?.string.lowercased() == place
        }
        guard isConcerned else { return }
        throw CommandFailure(
            localized(
                "An earlier change of “\(path.name)” waits: byteclub outbox says why. Send it or take it back first."
            ))
    }
}
