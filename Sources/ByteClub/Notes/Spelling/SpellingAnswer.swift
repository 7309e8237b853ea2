/// What a spelling program answers to one word, as `ispell -a` has it and aspell, hunspell and enchant do.
enum SpellingAnswer: Equatable, Sendable {
    case known
    /// With the words it may have been meant to be, the likeliest first.
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

    /// The answers to some words that were asked for one a line: an empty line ends each.
    ///
    /// - Returns: Nil while not all have come. A word in several parts is known when each of them is.
    static func answers(in text: String, count: Int) -> [SpellingAnswer]? {
        var answers: [SpellingAnswer] = []
        var current: SpellingAnswer?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            guard line.isEmpty else {
                // One that is not known decides.
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
