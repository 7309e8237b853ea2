import Testing

@testable import byteclub

@Suite struct SuggestionTests {
    @Test(arguments: [
        ("recursiv", "recursive", true), ("jsn", "json", true), ("limitrate", "limit-rate", true),
        ("xyz", "json", false), ("foo", "log", false), ("all", "club", false),
    ])
    func onlyNearWordsAreProposed(typed: String, option: String, isNear: Bool) {
        let sentence = "Error: Unknown option '--\(typed)'."
        let proposal = " Did you mean '--\(option)'?"
        #expect(
            Suggestion.keepingNear(in: sentence + proposal + "\nUsage: byteclub")
                == sentence + (isNear ? proposal : "") + "\nUsage: byteclub")
    }

    @Test func otherMessagesStay() {
        let message = "Error: The value 'x' is invalid for '--limit-rate <rate>'"
        #expect(Suggestion.keepingNear(in: message) == message)
    }
}
