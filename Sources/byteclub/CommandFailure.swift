import ByteClub
import ClubStore

/// Why a command failed, as a sentence for standard error.
struct CommandFailure: Error {
    let sentence: String

    init(_ sentence: String) {
        self.sentence = sentence
    }

    init(_ error: StoreError) {
        let words = ErrorSentence(error)
        self.init("\(words.title). \(words.text)")
    }

    /// With what was being done, where the error alone does not say.
    init(_ what: String, _ error: StoreError) {
        self.init("\(what) \(ErrorSentence(error).text)")
    }
}
