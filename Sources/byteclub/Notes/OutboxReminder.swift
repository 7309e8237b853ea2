import ClubAccess
import ClubLibrary
import ByteClubMessages

/// Reports after a command that earlier changes still wait: what it says of the club is without them.
struct OutboxReminder {
    private let club: ClubSettings
    private let registry: ClubRegistry
    private let before: Set<WaitingChange.ID>

    init(_ club: ClubSettings, _ registry: ClubRegistry) {
        (self.club, self.registry) = (club, registry)
        before = LocalCopy.waitingNumbers(in: registry.libraryFolder(of: club))
    }

    /// Unless the command has changed the outbox itself.
    func show() {
        let now = LocalCopy.waitingNumbers(in: registry.libraryFolder(of: club))
        guard !now.isEmpty, now == before else { return }
        Output.complain(
            Localization.text(
                now.count, one: "\(now.count) change waits: byteclub outbox send sends it.",
                other: "\(now.count) changes wait: byteclub outbox send sends them."))
    }
}
