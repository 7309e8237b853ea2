#if !Foundation

    public import Dispatch
    import Synchronization

    /// The progress of a task, for display, and a handle to pause or cancel it.
    ///
    /// A task's progress counts bytes, of the body sent and of the body received. Any program may make its
    /// own, and put others under it with ``addChild(_:withPendingUnitCount:)``.
    ///
    /// All of Foundation has a type of this name too, which needs the runtime of Objective-C's observation.
    /// This one may be used from any thread. Its observers are called on one queue, one at a time; changes
    /// that come faster are joined, and the last one is never left out.
    public final class Progress: Sendable {
        private let state: Mutex<State>
        private let queue: DispatchQueue

        private struct State {
            var total: Int64
            var completed: Int64 = 0
            var isCancelled = false
            var isPaused = false
            var isCancellable = true
            var isPausable = false
            var whenCancelled: (@Sendable () -> Void)?
            var whenPaused: (@Sendable () -> Void)?
            var whenResumed: (@Sendable () -> Void)?
            var children: [Child] = []
            var observers: [Int: @Sendable (Progress) -> Void] = [:]
            var lastObserver = 0
            var isNotifying = false
            weak var parent: Progress?
        }

        private struct Child {
            let progress: Progress
            let unitCount: Int64
        }

        /// - Parameters:
        ///   - totalUnitCount: How much there is to do; 0 or less when that is not known yet.
        ///   - queue: A serial queue to call observers on; nil makes one.
        public init(totalUnitCount: Int64, queue: DispatchQueue? = nil) {
            state = Mutex(State(total: totalUnitCount))
            self.queue = queue ?? DispatchQueue(label: "CurlNetworking.progress")
        }

        /// Creates a progress that is part of another, where it counts for the given number of units.
        public convenience init(
            totalUnitCount: Int64, parent: Progress, pendingUnitCount: Int64
        ) {
            self.init(totalUnitCount: totalUnitCount, queue: parent.queue)
            parent.addChild(self, withPendingUnitCount: pendingUnitCount)
        }

        // MARK: - How far

        /// How much there is to do; 0 or less when that is not known.
        public var totalUnitCount: Int64 {
            get { state.withLock { $0.total } }
            set { change { $0.total = newValue } }
        }

        /// How much of it is done, finished children included.
        public var completedUnitCount: Int64 {
            get {
                let (own, children) = state.withLock { ($0.completed, $0.children) }
                return children.reduce(own) { sum, child in
                    sum + (child.progress.isFinished ? child.unitCount : 0)
                }
            }
            set { change { $0.completed = newValue } }
        }

        /// Sets both at once, so that nobody sees one without the other.
        public func update(completedUnitCount completed: Int64, totalUnitCount total: Int64) {
            change { state in
                state.completed = completed
                state.total = total
            }
        }

        /// From 0 to 1; 0 while the total is not known.
        public var fractionCompleted: Double {
            let (total, own, children) = state.withLock { ($0.total, $0.completed, $0.children) }
            guard total > 0 else { return 0 }
            let done = children.reduce(Double(own)) { sum, child in
                sum + Double(child.unitCount) * child.progress.fractionCompleted
            }
            return done / Double(total)
        }

        /// Whether there is no saying how far it has come.
        public var isIndeterminate: Bool { state.withLock { $0.total <= 0 } }

        /// Whether all of it is done.
        public var isFinished: Bool {
            let total = totalUnitCount
            return total > 0 && completedUnitCount >= total
        }

        /// `45 % completed`.
        public var localizedDescription: String {
            isIndeterminate ? "" : "\(Int(fractionCompleted * 100)) % completed"
        }

        // MARK: - Holding and stopping

        /// Whether ``cancel()`` was called, here or above.
        public var isCancelled: Bool { state.withLock { $0.isCancelled } }
        /// Whether it was paused.
        public var isPaused: Bool { state.withLock { $0.isPaused } }

        /// Whether somebody may offer to cancel it.
        public var isCancellable: Bool {
            get { state.withLock { $0.isCancellable } }
            set { state.withLock { $0.isCancellable = newValue } }
        }

        /// Whether somebody may offer to pause it.
        public var isPausable: Bool {
            get { state.withLock { $0.isPausable } }
            set { state.withLock { $0.isPausable = newValue } }
        }

        /// What to do when it is cancelled; at once if it is already.
        public var cancellationHandler: (@Sendable () -> Void)? {
            get { state.withLock { $0.whenCancelled } }
            set {
                let isLate = state.withLock { state in
                    state.whenCancelled = newValue
                    return state.isCancelled
                }
                if isLate { newValue?() }
            }
        }

        /// Called when it is paused.
        public var pausingHandler: (@Sendable () -> Void)? {
            get { state.withLock { $0.whenPaused } }
            set { state.withLock { $0.whenPaused = newValue } }
        }

        /// Called when it is resumed.
        public var resumingHandler: (@Sendable () -> Void)? {
            get { state.withLock { $0.whenResumed } }
            set { state.withLock { $0.whenResumed = newValue } }
        }

        /// Cancels what this is the progress of, and all its children.
        public func cancel() {
            let (handler, children) = state.withLock { state in
                guard !state.isCancelled else { return (nil as (@Sendable () -> Void)?, [Child]()) }
                state.isCancelled = true
                return (state.whenCancelled, state.children)
            }
            handler?()
            for child in children { child.progress.cancel() }
            notify()
        }

        /// Holds what this is the progress of, and all its children.
        public func pause() {
            let (handler, children) = state.withLock { state in
                guard !state.isPaused else { return (nil as (@Sendable () -> Void)?, [Child]()) }
                state.isPaused = true
                return (state.whenPaused, state.children)
            }
            handler?()
            for child in children { child.progress.pause() }
            notify()
        }

        /// Resumes it after ``pause()``.
        public func resume() {
            let (handler, children) = state.withLock { state in
                guard state.isPaused else { return (nil as (@Sendable () -> Void)?, [Child]()) }
                state.isPaused = false
                return (state.whenResumed, state.children)
            }
            handler?()
            for child in children { child.progress.resume() }
            notify()
        }

        // MARK: - Parts

        /// Adds another progress to this one, where it counts for the given number of units.
        public func addChild(_ child: Progress, withPendingUnitCount unitCount: Int64) {
            child.state.withLock { $0.parent = self }
            change { $0.children.append(Child(progress: child, unitCount: unitCount)) }
            if isCancelled { child.cancel() }
            if isPaused { child.pause() }
        }

        // MARK: - Looking on

        /// Calls back with every change until the observation is invalidated or dropped.
        ///
        /// - Parameter keyPath: What to observe: a change of anything else is not reported.
        /// - Parameter options: `.initial` calls at once, on this thread. Both values are always given.
        public func observe<Value: Equatable & Sendable>(
            _ keyPath: any KeyPath<Progress, Value> & Sendable,
            options: NSKeyValueObservingOptions = [],
            changeHandler: @escaping @Sendable (Progress, NSKeyValueObservedChange<Value>) -> Void
        ) -> NSKeyValueObservation {
            let start = self[keyPath: keyPath]
            let last = Mutex(start)
            let number = addObserver { progress in
                let value = progress[keyPath: keyPath]
                let old: Value? = last.withLock { last in
                    guard value != last else { return nil }
                    defer { last = value }
                    return last
                }
                guard let old else { return }
                changeHandler(progress, NSKeyValueObservedChange(oldValue: old, newValue: value))
            }
            if options.contains(.initial) {
                changeHandler(self, NSKeyValueObservedChange(oldValue: nil, newValue: start))
            }
            return NSKeyValueObservation { [weak self] in self?.removeObserver(number) }
        }

        /// Every value of ``fractionCompleted``, the present one first. Ends when it is finished or
        /// cancelled; a slow reader misses values between, but not the last.
        public var fractions: AsyncStream<Double> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Double.self, bufferingPolicy: .bufferingNewest(1))
            let tell: @Sendable (Progress) -> Void = { progress in
                let isOver = progress.isFinished || progress.isCancelled
                // Read behind that, so that nothing newer is cut off by the end.
                continuation.yield(progress.fractionCompleted)
                if isOver { continuation.finish() }
            }
            let number = addObserver(tell)
            continuation.onTermination = { [weak self] _ in self?.removeObserver(number) }
            queue.async { @Sendable [self] in tell(self) }
            return stream
        }

        private func addObserver(_ observer: @escaping @Sendable (Progress) -> Void) -> Int {
            state.withLock { state in
                state.lastObserver += 1
                state.observers[state.lastObserver] = observer
                return state.lastObserver
            }
        }

        private func removeObserver(_ number: Int) {
            state.withLock { $0.observers[number] = nil }
        }

        private func change(_ change: (inout State) -> Void) {
            state.withLock { change(&$0) }
            notify()
        }

        /// Calls the observers soon, here and above.
        private func notify() {
            let (begins, parent) = state.withLock { state in
                let begins = !state.observers.isEmpty && !state.isNotifying
                if begins { state.isNotifying = true }
                return (begins, state.parent)
            }
            if begins {
                queue.async { @Sendable [self] in
                    let observers = state.withLock { state in
                        state.isNotifying = false
                        return state.observers.sorted { $0.key < $1.key }.map(\.value)
                    }
                    for observer in observers { observer(self) }
                }
            }
            parent?.notify()
        }
    }

    /// The progress of a task: an ordinary one, which notifies its observers itself.
    package typealias TaskProgress = Progress

    extension Progress: Hashable {
        /// Two are equal when they are the same.
        public static func == (one: Progress, other: Progress) -> Bool { one === other }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(self))
        }
    }

#endif
