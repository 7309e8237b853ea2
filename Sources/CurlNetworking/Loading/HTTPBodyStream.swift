/// A body that is produced while it is sent.
///
/// Stands where Apple's suite has `InputStream`, which would draw in all of Foundation.
public protocol HTTPBodyStream: AnyObject, Sendable {
    /// Fills the start of `buffer` and returns how many bytes that were; 0 means the body is over.
    ///
    /// May block: it is called on a queue of its own, one call at a time, never on the engine's or
    /// the delegate's. What it throws ends the task with `.requestBodyStreamExhausted`.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
}
