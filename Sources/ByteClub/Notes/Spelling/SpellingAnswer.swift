/// A spelling program's response for one word, in the format of `ispell -a`, which aspell, hunspell and
/// enchant share.
enum SpellingAnswer: Equatable, Sendable {
    case known
    /// With suggestions, the most likely one first.
    case unknown(suggestions: [String])

    /// Reads one line; nil if it does not contain an answer.
    ///
    /// | line | meaning |
    /// |---|---|
    /// | `*`, `+ root`, `-` | known |
    /// | `& word count offset: one, other` | unknown, with suggestions |
    /// | `? word 0 offset: one, other` | unknown, with guesses |
    /// | `# word offset` | unknown |
    init?(line: String) {
        switch line.first {
        case "*", "+", "-": self = .known
        case "#": self = .unknown(suggestions: [])
        case "&", "?":
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let words = line[line.index(after: colon)...].split(separator: ",").map {
                String($0.drop { $0 == " " })
            }
            self = .unknown(suggestions: words.filter { !$0.isEmpty })
        default: return nil
        }
    }

    /// The responses for words that were sent one per line: an empty line ends each.
    ///
    /// - Returns: Nil until all have arrived. A word of several parts is known if all of them are.
    static func answers(in text: String, count: Int) -> [SpellingAnswer]? {
        var answers: [SpellingAnswer] = []
        var current: SpellingAnswer?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            guard line.isEmpty else {
                // One unknown part decides.
                if current == nil || current == .known {
                    current = SpellingAnswer(line: String(line)) ?? current
                }
                continue
            }
            answers.append(current ?? .known)
            current = nil
            if answers.count == count { return answers }
        }
        return nil
    }
}
