import Dispatch

/// Where files are read, written and hashed: waiting for a disk must not hold a thread that
/// async code runs on.
enum FileQueue {
    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            // A queue for each piece of work, so that none waits for another. Not a concurrent one: once
            // used, those wake the program up every second.
            DispatchQueue(label: "byteclub.files").async { @Sendable in
                continuation.resume(returning: Result { () throws(StoreError) in try work() })
            }
        }
        return try result.get()
    }
}
