package import FoundationEssentials

internal import ClubLibrary

/// A new note being sent to its club, kept as a draft until it has arrived: if the program is interrupted,
/// the app offers the draft at its next start.
package struct UnsentNote: Sendable {
    private let drafts: DraftStore
    private let id: UUID

    /// Stores a text durably before it returns.
    ///
    /// - Parameter name: The note's name, as typed.
    /// - Throws: When it cannot be written; the description is a sentence with the reason.
    package init(
        _ text: Data, named name: String, for club: ClubSettings, in registry: ClubRegistry
    ) throws {
        drafts = DraftStore(folder: registry.drafts(of: club))
        let draft = Draft(
            name: name, path: nil, baseRevision: nil, savedAt: Date(), text: text)
        id = draft.id
        try drafts.save(draft, sequence: 1)
    }

    /// The text is in the club, or no longer wanted.
    package func discard() { drafts.remove(id) }

    /// Leaves the draft for the app.
    package func leave() { drafts.release(id) }
}
