#if Foundation

    public import Foundation
    import Synchronization

    /// The progress of a task: Foundation's, which tells its observers.
    package final class TaskProgress: Progress, @unchecked Sendable {
        // Unchecked as its superclass is; its own properties are immutable and Sendable.

        private let call: @Sendable (@escaping @Sendable () -> Void) -> Void
        private let updates = Mutex(())
        private let isNotifying = Mutex(false)
        fileprivate let observers = ProgressObservers()

        /// - Parameter call: Where observers are called.
        package init(
            totalUnitCount: Int64,
            call: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
        ) {
            self.call = call
            super.init(parent: nil, userInfo: nil)
            self.totalUnitCount = totalUnitCount
        }

        /// Sets both at once, from any thread.
        package func update(completedUnitCount completed: Int64, totalUnitCount total: Int64) {
            updates.withLock { _ in
                if totalUnitCount != total { totalUnitCount = total }
                if completedUnitCount != completed { completedUnitCount = completed }
            }
            notify()
        }

        package override func cancel() {
            super.cancel()
            notify()
        }

        package override func pause() {
            super.pause()
            notify()
        }

        package override func resume() {
            super.resume()
            notify()
        }

        /// Calls the observers soon: its own, and those of progress that it may be a part of.
        private func notify() {
            guard !(observers.isEmpty && ProgressObservers.others.isEmpty) else { return }
            let begins = isNotifying.withLock { isNotifying in
                defer { isNotifying = true }
                return !isNotifying
            }
            guard begins else { return }
            call { [self] in
                isNotifying.withLock { $0 = false }
                observers.callAll()
                ProgressObservers.others.callAll()
            }
        }
    }

    /// Those who look on: each compares what it looks at with what it has seen last.
    private final class ProgressObservers: Sendable {
        /// Of progress that does not belong to one task: a program's, with tasks as its children.
        static let others = ProgressObservers()

        private let state = Mutex<(all: [Int: @Sendable () -> Void], last: Int)>(([:], 0))

        var isEmpty: Bool { state.withLock { $0.all.isEmpty } }

        func add(_ observer: @escaping @Sendable () -> Void) -> Int {
            state.withLock { state in
                state.last += 1
                state.all[state.last] = observer
                return state.last
            }
        }

        func remove(_ number: Int) {
            state.withLock { $0.all[number] = nil }
        }

        func callAll() {
            let all = state.withLock { $0.all.sorted { $0.key < $1.key }.map(\.value) }
            for observer in all { observer() }
        }
    }

    extension Progress {
        /// Calls back with every change of a task's progress, or of one that a task's is a part of, until the
        /// observation is invalidated or dropped. Changes that come fast are joined. Foundation has no such
        /// method on Linux; Apple's is of `NSObject`.
        ///
        /// - Parameter options: `.initial` calls at once, on this thread. Both values are always given.
        public func observe<Value: Equatable & Sendable>(
            _ keyPath: any KeyPath<Progress, Value> & Sendable,
            options: NSKeyValueObservingOptions = [],
            changeHandler: @escaping @Sendable (Progress, NSKeyValueObservedChange<Value>) -> Void
        ) -> NSKeyValueObservation {
            let start = self[keyPath: keyPath]
            let last = Mutex(start)
            let observers = (self as? TaskProgress)?.observers ?? .others
            let number = observers.add { [weak self] in
                guard let self else { return }
                let value = self[keyPath: keyPath]
                let old: Value? = last.withLock { last in
                    guard value != last else { return nil }
                    defer { last = value }
                    return last
                }
                guard let old else { return }
                changeHandler(self, NSKeyValueObservedChange(oldValue: old, newValue: value))
            }
            if options.contains(.initial) {
                changeHandler(self, NSKeyValueObservedChange(oldValue: nil, newValue: start))
            }
            return NSKeyValueObservation { [weak observers] in observers?.remove(number) }
        }
    }

#endif
