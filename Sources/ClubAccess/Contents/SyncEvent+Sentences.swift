package import ClubLibrary
internal import ClubStore
internal import ByteClubMessages

extension SyncEvent {
    /// A message for the user; nil if the change was sent as intended.
    package var sentence: String? {
        switch self {
        case .sent: nil
        case .merged(let change, _):
            localized(
                "“\(change.path.name)” was changed by someone else too. Both changes are in it now; H shows them."
            )
        case .keptBoth(let change, let file):
            localized(
                "“\(change.destination?.name ?? "")” is someone else's: yours is kept as “\(file.name)”."
            )
        case .notDeleted(let change):
            localized("“\(change.path.name)” was not deleted: someone else has changed it since.")
        case .gone(let change):
            localized("“\(change.path.name)” is no longer in the club: nothing was done to it.")
        case .refused(let change, _):
            localized("The club refused a change of “\(change.path.name)”: :outbox shows why.")
        }
    }
}
