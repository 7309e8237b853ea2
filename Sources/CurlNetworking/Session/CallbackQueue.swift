import CurlNetworkingNames
import Dispatch
import Synchronization

#if Foundation
    import Foundation

    /// Where a session calls its delegate and the handlers: an operation queue, or a serial one of Dispatch.
    struct CallbackQueue: Sendable {
        private enum Kind: Sendable {
            case operations(OperationQueue)
            /// Its operation queue is made when somebody asks for it.
            case dispatch(DispatchQueue, LazyOperations)
        }

        private let kind: Kind

        /// - Parameter queue: nil makes one.
        init(_ queue: DispatchQueue?) {
            let queue = queue ?? DispatchQueue(label: "CurlNetworking.delegate")
            self.init(kind: .dispatch(queue, LazyOperations(queue)))
        }

        private init(kind: Kind) {
            self.kind = kind
        }

        /// - Parameter operations: Its order, limit and suspension are kept; nil makes a serial one.
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
                // Once somebody has the operation queue, they may suspend it or ask for the current one.
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

    /// An operation queue on a Dispatch queue that few ask for.
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
    /// Where a session calls its delegate and the handlers: a serial queue.
    struct CallbackQueue: Sendable {
        let dispatch: DispatchQueue

        /// - Parameter queue: nil makes one.
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
