/// The “Did you mean” of ArgumentParser, which proposes any option within three changes of what was typed: for a
/// short word that is any short option.
enum Suggestion {
    /// - Returns: A message of wrong usage, without a proposal that has little in common with what was typed.
    static func keepingNear(in message: String) -> String {
        let pattern = #/ Did you mean '(-*[^']*)'\?/#
        guard let match = message.firstMatch(of: pattern),
            let typed = message.firstMatch(of: #/Unknown option '(-*[^']*)'/#),
            !isNear(word(typed.1), word(match.1))
        else { return message }
        return message.replacing(match.0, with: "", maxReplacements: 1)
    }

    private static func word(_ option: Substring) -> [Character] {
        Array(option.drop { $0 == "-" })
    }

    /// Whether at most a third of the letters differ.
    static func isNear(_ a: [Character], _ b: [Character]) -> Bool {
        distance(a, b) <= max(1, min(a.count, b.count) / 3)
    }

    /// The Levenshtein distance.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (letter == other ? 0 : 1))
                diagonal = above
            }
        }
        return row[b.count]
    }
}
