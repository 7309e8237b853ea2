import CurlNetworkingNames
import Dispatch
import Synchronization

#if Foundation
    import Foundation

    /// The queue for a session's delegate and handlers: an operation queue, or a serial Dispatch queue.
    struct CallbackQueue: Sendable {
        private enum Kind: Sendable {
            case operations(OperationQueue)
            /// The operation queue is created when it is first requested.
            case dispatch(DispatchQueue, LazyOperations)
        }

        private let kind: Kind

        /// Creates a callback queue.
        ///
        /// - Parameter queue: A serial queue; nil creates one.
        init(_ queue: DispatchQueue?) {
            let queue = queue ?? DispatchQueue(label: "CurlNetworking.delegate")
            self.init(kind: .dispatch(queue, LazyOperations(queue)))
        }

        private init(kind: Kind) {
            self.kind = kind
        }

        /// Creates a callback queue from an operation queue, whose order, limit and suspension apply.
        ///
        /// - Parameter operations: nil creates a serial queue.
        init(operations: OperationQueue?) {
            guard let operations else {
                self.init(nil)
                return
            }
            self.init(kind: .operations(operations))
        }

        func async(_ work: @escaping @Sendable () -> Void) {
            switch kind {
            case .operations(let queue): queue.addOperation(work)
            case .dispatch(let queue, let lazy):
                // Once a caller has the operation queue, it may suspend it or expect it as the current one.
                guard let operations = lazy.made else { return queue.async(execute: work) }
                operations.addOperation(work)
            }
        }

        func makeProgress(totalUnitCount: Int64) -> TaskProgress {
            TaskProgress(totalUnitCount: totalUnitCount) { work in async(work) }
        }

        var operations: OperationQueue {
            switch kind {
            case .operations(let queue): queue
            case .dispatch(_, let lazy): lazy.make()
            }
        }
    }

    /// An operation queue on top of a Dispatch queue, created on demand.
    private final class LazyOperations: Sendable {
        private let queue: DispatchQueue
        private let operations = Mutex<OperationQueue?>(nil)

        init(_ queue: DispatchQueue) {
            self.queue = queue
        }

        var made: OperationQueue? { operations.withLock { $0 } }

        func make() -> OperationQueue {
            operations.withLock { operations in
                if let operations { return operations }
                guard queue !== DispatchQueue.main else {
                    operations = .main
                    return .main
                }
                let new = OperationQueue()
                new.maxConcurrentOperationCount = 1
                new.underlyingQueue = queue
                operations = new
                return new
            }
        }
    }
#else
    /// The queue for a session's delegate and handlers: a serial queue.
    struct CallbackQueue: Sendable {
        let dispatch: DispatchQueue

        /// Creates a callback queue.
        ///
        /// - Parameter queue: A serial queue; nil creates one.
        init(_ queue: DispatchQueue?) {
            dispatch = queue ?? DispatchQueue(label: "CurlNetworking.delegate")
        }

        func async(_ work: @escaping @Sendable () -> Void) {
            dispatch.async(execute: work)
        }

        func makeProgress(totalUnitCount: Int64) -> TaskProgress {
            Progress(totalUnitCount: totalUnitCount, queue: dispatch)
        }
    }
#endif
