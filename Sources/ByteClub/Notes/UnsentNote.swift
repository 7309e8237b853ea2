package import FoundationEssentials

internal import ClubLibrary

/// A new note that did not reach its club, kept as a draft: the next start of the app offers it.
package enum UnsentNote {
    /// Keeps a text durably before it returns.
    ///
    /// - Parameter name: The note's name, as typed.
    /// - Throws: When it cannot be written; the description is a sentence with the reason.
    package static func keep(
        _ text: Data, named name: String, for club: ClubSettings, in book: ClubBook
    ) throws {
        let drafts = DraftStore(folder: book.drafts(of: club))
        let draft = Draft(
            name: name, path: nil, baseRevision: nil, savedAt: Date(), text: text)
        try drafts.save(draft, sequence: 1)
        drafts.release(draft.id)
    }
}
