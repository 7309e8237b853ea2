/// The last row: the most important keys of the current context, unless a message is there.
final class FooterBar: View {
    /// The items of the last frame, with the key they were computed for.
    private var cache: (key: CacheKey, items: [FooterItem])?

    private struct CacheKey: Equatable {
        var responders: [ObjectIdentifier]
        var signatures: [Int]
        var columns: Int
        var bindings: KeyBindings
    }

    private func fittingItems(_ application: Application) -> [FooterItem] {
        let chain = application.responderChain
        let bindings = application.configuration.bindings
        let signatures = chain.compactMap(\.keyTableSignature)
        let key = CacheKey(
            responders: chain.map { ObjectIdentifier($0) }, signatures: signatures,
            columns: bounds.width - 2, bindings: bindings)
        let isKnown = signatures.count == chain.count
        if isKnown, let cache, cache.key == key { return cache.items }
        let items = FooterItem.fitting(
            FooterItem.items(along: chain, bindings: bindings), columns: key.columns)
        cache = isKnown ? (key, items) : nil
        return items
    }

    /// A click on an item has the effect of its key.
    override func mouse(_ event: MouseEvent) -> Bool {
        guard event.action == .press, event.button == .left, let application,
            application.message == nil, application.matcher.pending.isEmpty
        else { return false }
        var x = 1
        for item in fittingItems(application) {
            if (x..<x + item.columnCount).contains(event.location.x) {
                let commands = AvailableCommand.list(
                    along: application.responderChain, bindings: application.configuration.bindings)
                let chosen = commands.first {
                    $0.entry.isEnabled && $0.keys.first?.displayName == item.keys
                }
                if let chosen { application.perform(chosen.entry) }
                return true
            }
            x += item.columnCount + FooterItem.gap
        }
        return false
    }

    override func draw(on surface: Surface) {
        guard let application, application.message == nil else { return }
        let pending = application.matcher.pending
        if !pending.isEmpty {
            surface.draw(
                TextLine("\(KeySequence(pending).displayName) …", .key), at: Point(x: 1, y: 0))
            return
        }
        let fitting = fittingItems(application)
        var x = 1
        for item in fitting {
            x += surface.draw(item.keys, at: Point(x: x, y: 0), role: .key)
            x += 1
            x += surface.draw(item.label, at: Point(x: x, y: 0), role: .keyLabel)
            x += FooterItem.gap
        }
    }
}

/// A key with its label in the footer.
struct FooterItem: Hashable, Sendable {
    var keys: String
    var label: String
    var weight: Int

    static let gap = 2

    var columnCount: Int {
        Surface.columnCount(of: keys) + 1 + Surface.columnCount(of: label)
    }

    /// The items of the available commands in a chain, nearest context first.
    @MainActor
    static func items(along chain: [Responder], bindings: KeyBindings) -> [FooterItem] {
        var items: [FooterItem] = []
        for command in AvailableCommand.list(along: chain, bindings: bindings) {
            guard command.entry.isEnabled, let label = command.entry.label,
                let keys = command.keys.first
            else { continue }
            let item = FooterItem(
                keys: keys.displayName, label: label, weight: command.entry.command.weight)
            // Of two keys with the same label, the one with more weight is enough.
            if let twin = items.firstIndex(where: { $0.label.lowercased() == label.lowercased() }) {
                if items[twin].weight < item.weight { items[twin] = item }
            } else {
                items.append(item)
            }
        }
        return items
    }

    /// The items that fit, by importance.
    static func fitting(_ items: [FooterItem], columns: Int) -> [FooterItem] {
        let byWeight = items.indices.sorted {
            (-items[$0].weight, $0) < (-items[$1].weight, $1)
        }
        var room = columns
        var chosen: [FooterItem] = []
        for index in byWeight {
            let need = items[index].columnCount + (chosen.isEmpty ? 0 : gap)
            guard need <= room else { continue }
            room -= need
            chosen.append(items[index])
        }
        return chosen
    }
}
