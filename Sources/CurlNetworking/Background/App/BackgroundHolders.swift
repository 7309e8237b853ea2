import Synchronization

/// The clients of this process by session identifier: one client holds an identifier at a time.
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

    /// Claims an identifier for a client. Returns the other client that holds it, or nil.
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
