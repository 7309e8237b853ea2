/// The strings of a terminal's special keys, found byte by byte.
struct KeyTrie: Sendable {
    private struct Node: Sendable {
        var press: KeyPress?
        var children: [UInt8: Int] = [:]
    }

    enum Match {
        case key(KeyPress, next: Int)
        /// The bytes end within a key's sequence.
        case incomplete
        case none
    }

    private var nodes = [Node()]

    /// Stores the sequences that begin with Esc; others are ordinary characters.
    init(_ keys: [[UInt8]: KeyPress]) {
        for (sequence, press) in keys {
            guard sequence.count > 2, sequence.first == InputDecoder.escape else { continue }
            var node = 0
            for byte in sequence.dropFirst() {
                if let child = nodes[node].children[byte] {
                    node = child
                } else {
                    nodes.append(Node())
                    nodes[node].children[byte] = nodes.count - 1
                    node = nodes.count - 1
                }
            }
            nodes[node].press = press
        }
    }

    /// The longest key sequence at `start`, the position after the Esc.
    func match(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Match {
        var node = 0
        var index = start
        var best: Match = .none
        while index < bytes.count, let child = nodes[node].children[bytes[index]] {
            node = child
            index += 1
            if let press = nodes[node].press { best = .key(press, next: index) }
        }
        if index == bytes.count, index > start, nodes[node].press == nil,
            !nodes[node].children.isEmpty
        {
            return .incomplete
        }
        return best
    }
}
