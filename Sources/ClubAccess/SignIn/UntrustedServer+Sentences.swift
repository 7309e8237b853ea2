package import ClubStore
internal import ByteClubMessages

/// What a user has to know about a server that is not trusted.
extension UntrustedServer {
    /// For a server with another key than the pinned one, as a title.
    package static var changedKeyTitle: String { localized("The server's key has changed") }

    /// The same as sentences.
    package var changedKeyText: String {
        localized(
            "\(host) shows another key than the one that was accepted, so the connection "
                + "may be intercepted. The fingerprint of the new one is \(key). Ask the "
                + "server's administrator whether the key was changed, and whether that is right."
        )
    }

    /// What to do about a certificate that is not valid now; empty for one that is.
    package var validityAdvice: String {
        switch validity {
        case .current: ""
        case .notYet:
            localized(
                " By this computer's clock it is not valid yet: check the clock, and its date.")
        case .expired:
            localized(
                " By this computer's clock it has expired: check the clock, or ask the server's administrator to renew it."
            )
        }
    }
}
