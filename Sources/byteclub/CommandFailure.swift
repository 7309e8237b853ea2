import ClubAccess
import ClubStore
import ByteClubMessages
import Synchronization

/// Why a command failed, as a sentence for standard error.
struct CommandFailure: Error {
    let sentence: String

    /// The command that helps. It has a line of its own, to be pasted.
    let command: String?

    init(_ sentence: String, command: String? = nil) {
        self.sentence = sentence
        self.command = command
    }

    init(_ error: StoreError) {
        let words = Self.words(for: error)
        let isSaidTwice = words.text.hasSuffix(words.title + ".")
        self.init(
            isSaidTwice ? words.text : "\(words.title). \(words.text)",
            command: Self.command(after: error))
    }

    /// Adds the operation if the error alone does not describe it.
    init(_ what: String, _ error: StoreError) {
        self.init("\(what) \(Self.words(for: error).text)", command: Self.command(after: error))
    }

    /// The same with more to say.
    func adding(_ more: String) -> CommandFailure {
        CommandFailure(sentence + more, command: command)
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
        guard club.needsSignIn, error.isNotSignedIn else {
            return ErrorMessage(error, club: club.kind)
        }
        return ErrorMessage(
            title: localized("Sign in again"),
            text: localized(
                "You are not signed in to the club “\(club.name)”. Sign in again."
            ))
    }

    /// Why the club was not reached, and what to do, for a command that goes on without it. Empty if the title of the
    /// error says it all: the computer is offline.
    ///
    /// - Returns: Sentences that begin with a space.
    static func adviceInPassing(on error: StoreError) -> String {
        if case .proxy = error.connectionFailure { return " " + words(for: error).text }
        let isPlainlyOffline = error.code == .offline && !(error.underlying is EmbeddedClubError)
        return isPlainlyOffline ? "" : " " + words(for: error).text
    }

    /// The command that signs in, if that helps.
    private static func command(after error: StoreError) -> String? {
        let club = clubInUse.withLock { $0 }
        guard club.needsSignIn, error.code == .unauthorized, error.missingScope == nil,
            !(error.underlying is SecretError)
        else { return nil }
        return "byteclub login \(club.loginCommand)"
    }
}
