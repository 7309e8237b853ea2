import Dispatch

/// Where files are read, written and hashed: waiting for a disk must not hold a thread that
/// async code runs on.
enum FileQueue {
    private static let queue = DispatchQueue(label: "byteclub.files", attributes: .concurrent)

    static func run<Value: Sendable>(
        _ work: @escaping @Sendable () throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result: Result<Value, StoreError> = await withCheckedContinuation { continuation in
            queue.async { @Sendable in
                continuation.resume(returning: Result { () throws(StoreError) in try work() })
            }
        }
        return try result.get()
    }
}
