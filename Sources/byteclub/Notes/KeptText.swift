import ClubAccess
import ClubStore
import FoundationEssentials
import ByteClubMessages

/// A text that is being saved in the club, kept as a draft until it has arrived.
struct KeptText {
    private let kept: Result<UnsentNote, any Error>?
    /// The file of the text, until it is in a draft.
    private let edited: EditedText?

    /// - Parameters:
    ///   - folder: The folder of a new note.
    ///   - base: The note to replace; nil for a new one.
    ///   - edited: The file of the text: it stays until the text was saved elsewhere.
    ///   - earlier: The same text as it was kept before the note was known. It is removed once this one is on disk, and
    ///     takes its place where there is no room for both.
    init(
        _ text: Data, named name: String, in folder: RemotePath = .root,
        replacing base: RemoteFile? = nil, for club: ClubSettings, with registry: ClubRegistry,
        from edited: EditedText? = nil, insteadOf earlier: KeptText? = nil
    ) {
        let new =
            text.isEmpty
            ? nil
            : Result {
                try UnsentNote(
                    text, named: name, in: folder, replacing: base, as: edited?.id ?? UUID(),
                    for: club, with: registry)
            }
        if case .failure = new, let earlier, case .success = earlier.kept {
            kept = earlier.kept
        } else {
            earlier?.discard()
            kept = new
        }
        if case .failure = kept {
            self.edited = edited
        } else {
            edited?.discard()
            self.edited = nil
        }
    }

    /// Removes the draft: the text is in the club.
    func discard() {
        edited?.discard()
        guard case .success(let note) = kept else { return }
        note.discard()
    }

    /// The error message, with where the text is now.
    func failure(_ failure: CommandFailure) -> CommandFailure {
        switch kept {
        case nil: return failure
        case .success(let note):
            note.leave()
            return failure.adding(
                localized(" The text is kept as a draft: byteclub offers it at its next start."))
        case .failure(let error):
            return failure.adding(
                localized(" The text could not be kept as a draft either: \("\(error)")")
                    + (edited?.leave() ?? ""))
        }
    }
}
