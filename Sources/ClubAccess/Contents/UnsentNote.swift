package import FoundationEssentials

internal import ClubLibrary

/// A new note on its way to its club, kept as a draft until it has arrived: whatever ends the program, the
/// next start of the app offers it.
package struct UnsentNote: Sendable {
    private let drafts: DraftStore
    private let id: UUID

    /// Keeps a text durably before it returns.
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

    /// The text is in the club, or not wanted.
    package func discard() { drafts.remove(id) }

    /// Leaves it for the app.
    package func leave() { drafts.release(id) }
}
