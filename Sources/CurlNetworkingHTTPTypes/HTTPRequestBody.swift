import CurlNetworking
public import FoundationEssentials
public import HTTPTypes
import Synchronization

/// The body of a request.
public struct HTTPRequestBody: Sendable {
    enum Source: Sendable {
        case data(Data)
        case file(URL)
        case written(Writing)
    }

    struct Writing: Sendable {
        let byteCount: Int64?
        let isRestartable: Bool
        let write: @Sendable (HTTPBodyWriter) async throws -> HTTPFields?
    }

    let source: Source

    /// Returns a body in memory.
    public static func data(_ data: Data) -> HTTPRequestBody {
        HTTPRequestBody(source: .data(data))
    }

    /// Returns a body in a file, which is never loaded as a whole.
    public static func file(_ url: URL) -> HTTPRequestBody { HTTPRequestBody(source: .file(url)) }

    /// Returns a body that is written while it is sent, and can depend on the response.
    ///
    /// The closure runs in a separate task, which is cancelled when the body is no longer needed. An error
    /// that it throws is the error of the request.
    ///
    /// - Parameters:
    ///   - byteCount: The length, if it is known. Writing fewer or more bytes fails with
    ///     `URLError.requestBodyStreamExhausted`. Without it, the body is sent chunked.
    ///   - isRestartable: Whether the closure may be called again, for a redirect, a challenge or a lost
    ///     connection. If not, a request that has to be sent again fails with
    ///     `URLError.requestBodyStreamExhausted`.
    ///   - write: Writes the body. Its result is sent as trailers if the length is unknown.
    public static func written(
        byteCount: Int64? = nil, isRestartable: Bool = true,
        _ write: @escaping @Sendable (HTTPBodyWriter) async throws -> HTTPFields?
    ) -> HTTPRequestBody {
        HTTPRequestBody(
            source: .written(
                Writing(byteCount: byteCount, isRestartable: isRestartable, write: write)))
    }

    /// Returns a body from the elements of a sequence, which is iterated once.
    public static func pieces<Pieces: AsyncSequence & Sendable>(
        of sequence: Pieces, byteCount: Int64? = nil
    ) -> HTTPRequestBody where Pieces.Element == Data {
        written(byteCount: byteCount, isRestartable: false) { writer in
            for try await piece in sequence { try await writer.write(piece) }
            return nil
        }
    }
}

/// Writes the body of a request.
public struct HTTPBodyWriter: Sendable {
    let writer: BodyWriter

    /// Sends bytes. Returns when the connection has taken them, so that a writer never gets ahead of it.
    ///
    /// - Throws: `URLError.cancelled` if the body is no longer needed.
    public func write(_ bytes: Data) async throws { try await writer.write(bytes) }

    /// Sends bytes.
    public func write(_ bytes: some Sequence<UInt8>) async throws { try await write(Data(bytes)) }
}

extension HTTPRequestBody.Writing {
    /// Creates the source of the body.
    ///
    /// - Parameter failed: Called with an error that the closure throws, while the body is needed.
    func producer(failed: @escaping @Sendable (any Error) -> Void) -> BodyProducer {
        let starts = Starts()
        return BodyProducer(byteCount: byteCount) { writer in
            guard starts.next() == 1 || isRestartable else {
                return writer.fail("the body cannot be written again")
            }
            let task = Task {
                do {
                    let trailers = try await write(HTTPBodyWriter(writer: writer))
                    writer.finish(trailers: trailers?.lines ?? [])
                } catch {
                    if !Task.isCancelled { failed(error) }
                    writer.fail("\(error)")
                }
            }
            writer.whenOver { task.cancel() }
        }
    }
}

/// Counts how often a body was started.
private final class Starts: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
