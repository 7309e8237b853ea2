import Synchronization

// What an observer of a `Progress` is given and gives.

/// What an observer is given. The name is Apple's.
public struct NSKeyValueObservedChange<Value: Sendable>: Sendable {
    /// nil in the call that `.initial` asks for.
    public let oldValue: Value?
    /// The value after the change, if it was asked for.
    public let newValue: Value?
}

/// What an observer may ask for. The names are Apple's.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let new = Self(rawValue: 1)
    public static let old = Self(rawValue: 2)
    public static let initial = Self(rawValue: 4)
}

/// Looks on until it is invalidated or dropped. The name is Apple's.
public final class NSKeyValueObservation: Sendable {
    private let end: Mutex<(@Sendable () -> Void)?>

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = Mutex(end)
    }

    /// Ends the observation.
    public func invalidate() {
        let end = end.withLock { end in
            defer { end = nil }
            return end
        }
        end?()
    }

    deinit {
        invalidate()
    }
}
