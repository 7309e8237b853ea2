import ClubAccess
import ClubStore
import ByteClubMessages
import Synchronization

/// Why a command failed, as a sentence for standard error.
struct CommandFailure: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }

    init(_ error: StoreError) {
        let words = Self.words(for: error)
        let isSaidTwice = words.text.hasSuffix(words.title + ".")
        self.init(isSaidTwice ? words.text : "\(words.title). \(words.text)")
    }

    /// Adds the operation if the error alone does not describe it.
    init(_ what: String, _ error: StoreError) {
        self.init("\(what) \(Self.words(for: error).text)")
    }

    /// The club that the command has opened: advice about errors depends on it.
    static let clubInUse = Mutex(ClubSettings.embedded)

    static func words(for error: StoreError) -> ErrorMessage {
        let club = clubInUse.withLock { $0 }
        if error.connectionFailure == .metered {
            return ErrorMessage(
                title: localized("The network is metered"),
                text: localized(
                    "The network is metered, and wait-on-metered is on. --metered continues anyway; "
                        + "--background waits for another network."
                ))
        }
        guard club.needsSignIn, error.code == .unauthorized, error.missingScope == nil,
            !(error.underlying is SecretError)
        else {
            return ErrorMessage(error, club: club.kind)
        }
        return ErrorMessage(
            title: localized("Sign in again"),
            text: localized(
                "You are not signed in to the club “\(club.name)”: byteclub login \(club.loginCommand)"
            ))
    }
}
