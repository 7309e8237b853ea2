internal import ClubLibrary
package import ClubStore
package import FoundationEssentials

/// A note's text being sent to its club, kept as a draft until it has arrived: if the program is interrupted,
/// the app offers the draft at its next start.
package struct UnsentNote: Sendable {
    private let drafts: DraftStore
    private let id: UUID

    /// Stores a text durably before it returns.
    ///
    /// - Parameters:
    ///   - name: The note's name, as typed.
    ///   - folder: The folder of a new note.
    ///   - base: The note to replace, in the state that the text is based on; nil for a new one.
    ///   - id: That of the draft.
    /// - Throws: If it cannot be written; the description is a sentence with the reason.
    package init(
        _ text: Data, named name: String, in folder: RemotePath = .root,
        replacing base: RemoteFile? = nil, as id: UUID = UUID(), for club: ClubSettings,
        with registry: ClubRegistry
    ) throws {
        drafts = DraftStore(folder: registry.drafts(of: club))
        let draft = Draft(
            id: id, name: name, path: base?.path.string,
            folder: base == nil && !folder.isRoot ? folder.string : nil,
            baseRevision: base?.revision.rawValue,
            baseContentHash: base?.contentHash, savedAt: Date(), text: text)
        self.id = id
        try drafts.save(draft, sequence: 1)
    }

    /// The text is in the club, or was discarded.
    package func discard() { drafts.remove(id) }

    /// Leaves the draft for the app.
    package func leave() { drafts.release(id) }
}
