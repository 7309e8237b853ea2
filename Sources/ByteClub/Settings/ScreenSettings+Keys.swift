internal import ClubAccess
internal import ByteClubMessages
internal import TerminalUI

extension ScreenSettings {
    /// Reads the section `keys`: maps a command's name to its key, a list of keys, or an empty list to
    /// disable it.
    ///
    /// Keys that would hide each other are refused, so that no command becomes unreachable.
    mutating func readKeys(_ node: YAMLNode) {
        if node.isNull { return }
        guard let pairs = node.pairs else {
            report(
                node.line,
                localized("The keys must be names of commands, each with its keys after a colon."))
            return
        }
        var lines: [KeyCommand.ID: Int] = [:]
        for (key, value) in pairs {
            guard let id = key.scalar, let isTyping = Self.commands[id] else {
                if !isNewer {
                    report(
                        key.line,
                        localized(
                            "There is no command “\(key.scalar ?? "")”; byteclub keys --ids lists them all."
                        )
                    )
                }
                continue
            }
            guard lines[id] == nil else {
                report(key.line, localized("“\(id)” is there twice; the first one counts."))
                continue
            }
            if let sequences = readSequences(value, for: id, isTyping: isTyping) {
                lines[id] = key.line
                keys[id] = sequences
            }
        }
        refuseHiddenKeys(lines)
    }

    /// Whether letters are text input where a command works, by its name.
    static let commands = Dictionary(
        KeyContext.all.flatMap { context in context.commands.map { ($0.id, context.isTyping) } },
        uniquingKeysWith: { $0 || $1 })

    private mutating func readSequences(
        _ node: YAMLNode, for id: KeyCommand.ID, isTyping: Bool
    ) -> [KeySequence]? {
        let names: [YAMLNode]
        switch node.content {
        case .sequence(let items): names = items
        case .scalar: names = [node]
        case .mapping:
            report(
                node.line,
                localized("“\(id)” needs a key, a list of keys, or [] to be without one."))
            return nil
        }
        if names.isEmpty, KeyContext.waysOut.contains(id) {
            report(node.line, localized("“\(id)” closes a view, so it needs a key."))
            return nil
        }
        var sequences: [KeySequence] = []
        for name in names {
            guard let text = name.scalar, let sequence = KeySequence(names: text) else {
                report(
                    name.line,
                    localized(
                        "“\(name.scalar ?? "")” is not a key. Keys are written like n, G, ^S, M-f, S-Tab, F2, Space, "
                            + "g g; those that YAML reads otherwise, in quotes: \"?\"."))
                return nil
            }
            if isTyping, sequence.presses.contains(where: { $0.text != nil }) {
                report(
                    name.line,
                    localized(
                        "“\(text)” is written as text there, so it cannot be the key of “\(id)”."))
                return nil
            }
            sequences.append(sequence)
        }
        return sequences
    }

    /// Restores commands' default keys until there are no conflicts, starting with the last one in the file.
    ///
    /// - Parameter lines: The line of each chosen key.
    private mutating func refuseHiddenKeys(_ lines: [KeyCommand.ID: Int]) {
        while let hidden = hiddenKeys(lines) {
            keys[hidden.id] = nil
            report(
                hidden.line,
                localized(
                    "“\(hidden.keys.displayName)” is a key of “\(hidden.other)” too, so “\(hidden.id)” keeps its own."
                )
            )
        }
    }

    private struct HiddenKeys {
        let id: KeyCommand.ID
        let line: Int
        let other: KeyCommand.ID
        let keys: KeySequence
    }

    /// The last chosen key in the file that conflicts with another one in the same place.
    private func hiddenKeys(_ lines: [KeyCommand.ID: Int]) -> HiddenKeys? {
        var last: HiddenKeys?
        for place in KeyContext.places {
            let commands = place.flatMap(\.commands)
            // Overlaps of the default keys are intended: the nearest context takes precedence.
            let usual = Set(KeyBindings().conflicts(among: commands).map(Overlap.init))
            for conflict in keys.conflicts(among: commands)
            where !usual.contains(Overlap(conflict)) {
                for (id, other) in [
                    (conflict.first.id, conflict.second.id),
                    (conflict.second.id, conflict.first.id),
                ] where keys[id] != nil {
                    guard let line = lines[id], line > last?.line ?? 0 else { continue }
                    last = HiddenKeys(id: id, line: line, other: other, keys: conflict.keys)
                }
            }
        }
        return last
    }

    private struct Overlap: Hashable {
        let first: KeyCommand.ID
        let second: KeyCommand.ID
        let keys: KeySequence

        init(_ conflict: (first: KeyCommand, second: KeyCommand, keys: KeySequence)) {
            (first, second, keys) = (conflict.first.id, conflict.second.id, conflict.keys)
        }
    }
}
