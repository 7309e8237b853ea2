import ArgumentParser
import ByteClubMessages

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

    /// The message for a command that does not exist: `There is no command “nots”. Did you mean “notes”?`; nil if
    /// the commands so far are followed by something else.
    static func unknownCommand(in arguments: [String]) -> String? {
        var words = arguments[...]
        if words.first == "help" { words.removeFirst() }
        var command: any ParsableCommand.Type = ByteClubCommand.self
        while let word = words.popFirst() {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                let names = subcommands.filter { $0.configuration.shouldDisplay }.map {
                    $0._commandName
                }
                let near = names.first { isNear(Array(word), Array($0)) }
                return localized("There is no command “\(word)”.")
                    + (near.map { " " + localized("Did you mean “\($0)”?") } ?? "")
            }
            command = next
        }
        return nil
    }

    private static func word(_ option: Substring) -> [Character] {
        Array(option.drop { $0 == "-" })
    }

    /// Whether at most a third of the letters differ.
    static func isNear(_ a: [Character], _ b: [Character]) -> Bool {
        distance(a, b) <= max(1, min(a.count, b.count) / 3)
    }

    /// The Levenshtein distance, in which two letters that changed places count as one change.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var (before, last) = ([Int](), Array(0...b.count))
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    cost = min(cost, before[j - 1] + 1)
                }
                row.append(cost)
            }
            (before, last) = (last, row)
        }
        return last[b.count]
    }
}
