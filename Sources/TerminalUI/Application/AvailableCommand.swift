/// A command available in the current context: its entry, its keys, its context.
@MainActor
struct AvailableCommand {
    let entry: KeyTable.Entry
    /// Without those that a nearer context uses, or that are text input.
    let keys: [KeySequence]
    let context: String
    /// Whether its context takes text: moving the caret, a new line.
    let isTextInput: Bool

    /// The commands of a responder chain, nearest context first, without duplicates.
    static func list(along chain: [Responder], bindings: KeyBindings) -> [AvailableCommand] {
        var commands: [AvailableCommand] = []
        var names: Set<KeyCommand.ID> = []
        var taken: Set<KeySequence> = []
        var isTyping = false
        for responder in chain {
            let table = responder.keyTable
            for entry in table.entries where names.insert(entry.command.id).inserted {
                let all = bindings.keys(for: entry.command)
                let keys = all.filter { !taken.contains($0) && !(isTyping && $0.isText) }
                taken.formUnion(all)
                commands.append(
                    AvailableCommand(
                        entry: entry, keys: keys, context: table.title,
                        isTextInput: responder.acceptsText))
            }
            isTyping = isTyping || responder.acceptsText
        }
        return commands
    }
}

extension KeySequence {
    /// Whether it begins with a text input key.
    fileprivate var isText: Bool { presses.first?.text != nil }
}
