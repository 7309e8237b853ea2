/// A command as it can be given here and now: its entry, the keys that reach it, its context.
@MainActor
struct AvailableCommand {
    let entry: KeyTable.Entry
    /// Without those that a nearer context has, or that would be written as text.
    let keys: [KeySequence]
    let context: String

    /// The commands along a chain, the nearest context first, each once.
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
                commands.append(AvailableCommand(entry: entry, keys: keys, context: table.title))
            }
            isTyping = isTyping || responder.acceptsText
        }
        return commands
    }
}

extension KeySequence {
    /// Whether it begins with something that a text field would write.
    fileprivate var isText: Bool { presses.first?.text != nil }
}
