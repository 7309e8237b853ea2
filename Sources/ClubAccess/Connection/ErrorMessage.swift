public import ClubStore

/// A store's error for the user: what happened, and what to do next.
///
/// No codes and no jargon. The caller that has the typed text adds that it is not lost.
public struct ErrorMessage: Hashable, Sendable {
    /// A few words, for the title of an alert.
    public let title: String

    /// One to three sentences, for its body.
    public let text: String

    /// Where the club is: the advice about an unresponsive server depends on it.
    public enum ClubKind: Hashable, Sendable {
        /// On this computer.
        case embedded
        /// On a remote server.
        case remote
    }

    package init(title: String, text: String) {
        self.title = title
        self.text = text
    }

    /// - Parameter error: Its path may come from outside: sanitize the text like a file name.
    public init(_ error: StoreError, club: ClubKind = .embedded) {
        title = Self.title(of: error)
        text =
            if let reason = error.underlying as? EmbeddedClubError {
                Self.text(of: reason)
            } else if let reason = error.underlying as? SecretError {
                reason.description
            } else if club == .embedded, let text = Self.embeddedText(of: error) {
                text
            } else {
                Self.text(of: error)
            }
    }
}
