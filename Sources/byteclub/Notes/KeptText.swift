import ByteClub
import ClubAccess
import ClubStore
import FoundationEssentials

/// A text on its way into the club, kept as a draft until it has arrived.
struct KeptText {
    private let kept: Result<UnsentNote, any Error>?

    /// - Parameter base: The note that it is to replace; nil for a new one.
    init(
        _ text: Data, named name: String, replacing base: RemoteFile? = nil, for club: ClubSettings,
        in registry: ClubRegistry
    ) {
        kept =
            text.isEmpty
            ? nil
            : Result { try UnsentNote(text, named: name, replacing: base, for: club, in: registry) }
    }

    /// The text is in the club.
    func discard() {
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
                sentence + " The text is kept as a draft: byteclub offers it at its next start.")
        case .failure(let error):
            return CommandFailure(
                sentence + " The text could not be kept as a draft either: \(error)")
        }
    }
}
