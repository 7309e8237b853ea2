import Synchronization

extension URLSession {
    /// The immutable parts of a session, for all initializers.
    struct Parts: Sendable {
        let settings: SessionSettings
        let callbackQueue: CallbackQueue
        let isShared: Bool
        let number: Int
        let background: BackgroundClient?
        /// The number of the last task of the background session with this identifier.
        let lastTask: Int

        init(_ settings: SessionSettings, _ queue: CallbackQueue, isShared: Bool = false) {
            self.settings = settings
            self.callbackQueue = queue
            self.isShared = isShared
            self.number = URLSession.makeNumber()
            let line = settings.background.map(BackgroundLine.init)
            self.background = line?.makeClient(settings)
            self.lastTask = line?.lastNumber ?? 0
        }
    }

    var settings: SessionSettings { parts.settings }
    /// The queue for the delegate and the handlers.
    var callbackQueue: CallbackQueue { parts.callbackQueue }
    /// The key of the session's connection slots in the engine.
    var number: Int { parts.number }
    /// The connection to the helper, if it is a background session.
    var background: BackgroundClient? { parts.background }
    var isShared: Bool { parts.isShared }

    // MARK: - Numbers

    private static let lastNumber = Mutex(0)

    /// Returns a unique number.
    static func makeNumber() -> Int {
        lastNumber.withLock { last in
            last += 1
            return last
        }
    }
}
