import Synchronization

/// Which client of this process holds a session identifier: one at a time.
enum BackgroundHolders {
    private struct Holding: Hashable {
        var identifier: String
        var state: String

        init(_ client: BackgroundClient) {
            identifier = client.identifier
            state = client.paths.state
        }
    }

    private struct WeakClient: Sendable {
        weak var client: BackgroundClient?
    }

    private static let holders = Mutex<[Holding: WeakClient]>([:])

    /// Returns the other client that holds the identifier; nil when this one holds it now.
    static func enter(_ client: BackgroundClient) -> BackgroundClient? {
        holders.withLock { holders in
            let holding = Holding(client)
            if let other = holders[holding]?.client, other !== client { return other }
            holders[holding] = WeakClient(client: client)
            return nil
        }
    }

    static func leave(_ client: BackgroundClient) {
        holders.withLock { holders in
            let holding = Holding(client)
            if holders[holding]?.client === client { holders[holding] = nil }
        }
    }
}
