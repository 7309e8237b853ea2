import Dispatch

/// Queues for reading, writing and hashing files: disk access must not block a thread of
/// Swift's concurrency pool.
enum FileWork {
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            // One serial queue per job, so that no job waits for another. Not a concurrent queue:
            // once used, those wake the process every second.
            DispatchQueue(label: "byteclub.files").async { @Sendable in
                continuation.resume(returning: Result { () throws(StoreError) in try work() })
            }
        }
        return try result.get()
    }
}
