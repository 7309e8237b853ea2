import CurlNetworking
public import FoundationEssentials
public import HTTPTypes

/// The body of a response in pieces as they arrive, for one reader. The transfer is paused while it does not
/// read.
///
/// Releasing the body before its end cancels the transfer.
public struct HTTPResponseBody: AsyncSequence, Sendable {
    public typealias Element = Data

    let exchange: StreamedExchange
    let failure: BodyFailure

    public func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange, failure: failure) }

    /// The trailers of a chunked body; nil without any, and before the end of the body.
    public var trailers: HTTPFields? {
        let lines = exchange.trailers
        return lines.isEmpty ? nil : HTTPFields(lines: lines)
    }

    /// Reads the whole body.
    ///
    /// - Throws: `URLError.dataLengthExceedsMaximum` if the body is longer than `byteCount`.
    public func collect(upTo byteCount: Int) async throws -> Data {
        var body = Data()
        for try await piece in self {
            guard body.count + piece.count <= byteCount else {
                throw URLError(.dataLengthExceedsMaximum)
            }
            body.append(piece)
        }
        return body
    }

    /// An iterator that reads the body piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let exchange: StreamedExchange
        fileprivate let failure: BodyFailure

        /// Returns the next piece, or nil at the end.
        ///
        /// - Throws: `URLError`, or the error that the request's body has thrown.
        public mutating func next() async throws -> Data? {
            do {
                return try await exchange.nextPiece()
            } catch {
                throw failure.error ?? error
            }
        }
    }
}
