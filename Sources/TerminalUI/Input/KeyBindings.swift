/// The user's own keys for commands, by the commands' ids.
public struct KeyBindings: Hashable, Sendable {
    private var choices: [KeyCommand.ID: [KeySequence]]

    /// - Parameter choices: The keys by command; an empty list switches a command's keys off.
    public init(_ choices: [KeyCommand.ID: [KeySequence]] = [:]) { self.choices = choices }

    /// The number of commands with custom keys.
    public var count: Int { choices.count }

    /// The keys of a command: the user's, else its own. Empty if the user disabled it.
    public func keys(for command: KeyCommand) -> [KeySequence] {
        choices[command.id] ?? command.keys
    }

    /// The user's keys for a command: nil for its own, empty if it is disabled.
    public subscript(id: KeyCommand.ID) -> [KeySequence]? {
        get { choices[id] }
        set { choices[id] = newValue }
    }

    /// Pairs of commands in one context with the same key, or where one's sequence begins with the other's.
    public func conflicts(
        among commands: [KeyCommand]
    ) -> [(first: KeyCommand, second: KeyCommand, keys: KeySequence)] {
        var result: [(first: KeyCommand, second: KeyCommand, keys: KeySequence)] = []
        for (index, first) in commands.enumerated() {
            for second in commands[(index + 1)...] where second.id != first.id {
                for sequence in keys(for: first) {
                    let isTaken = keys(for: second).contains { other in
                        other == sequence || other.starts(with: sequence.presses)
                            || sequence.starts(with: other.presses)
                    }
                    if isTaken { result.append((first, second, sequence)) }
                }
            }
        }
        return result
    }
}
