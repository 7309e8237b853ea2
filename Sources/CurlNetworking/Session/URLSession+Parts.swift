import Synchronization

extension URLSession {
    /// What a session is made of, whichever way it is made.
    struct Parts: Sendable {
        let settings: SessionSettings
        let callbackQueue: CallbackQueue
        let isShared: Bool
        let number: Int
        let background: BackgroundClient?
        /// The number of the last task of a background session of this identifier.
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
    /// Where the delegate and the handlers are called.
    var callbackQueue: CallbackQueue { parts.callbackQueue }
    /// Which host queue of the engine the session's tasks share.
    var number: Int { parts.number }
    /// Its line to the helper, if it is a background session.
    var background: BackgroundClient? { parts.background }
    var isShared: Bool { parts.isShared }

    // MARK: - Numbers

    private static let lastNumber = Mutex(0)

    /// A number that nothing else has.
    static func makeNumber() -> Int {
        lastNumber.withLock { last in
            last += 1
            return last
        }
    }
}
