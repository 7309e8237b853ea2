import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials
import Messages

/// A text on its way into the club, kept as a draft until it has arrived.
struct KeptText {
    private let kept: Result<UnsentNote, any Error>?
    /// The text as the editor has left it, as long as it is in no draft.
    private let edited: EditedText?

    /// - Parameters:
    ///   - folder: Where a new note goes.
    ///   - base: The note that it is to replace; nil for a new one.
    ///   - edited: The file that the text comes from: it stays until the text is safe elsewhere.
    init(
        _ text: Data, named name: String, in folder: RemotePath = .root,
        replacing base: RemoteFile? = nil, for club: ClubSettings, with registry: ClubRegistry,
        from edited: EditedText? = nil
    ) {
        kept =
            text.isEmpty
            ? nil
            : Result {
                try UnsentNote(
                    text, named: name, in: folder, replacing: base, for: club, with: registry)
            }
        if case .failure = kept {
            self.edited = edited
        } else {
            edited?.discard()
            self.edited = nil
        }
    }

    /// The text is in the club.
    func discard() {
        edited?.discard()
        guard case .success(let note) = kept else { return }
        note.discard()
    }

    /// What happened, and what has become of the text.
    func failure(_ sentence: String) -> CommandFailure {
        switch kept {
        case nil: return CommandFailure(sentence)
        case .success(let note):
            note.leave()
            return CommandFailure(
                sentence
                    + localized(
                        " The text is kept as a draft: byteclub offers it at its next start."))
        case .failure(let error):
            return CommandFailure(
                sentence + localized(" The text could not be kept as a draft either: \("\(error)")")
                    + (edited?.sentence ?? ""))
        }
    }
}
