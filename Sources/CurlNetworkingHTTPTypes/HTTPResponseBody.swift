import CurlNetworking
public import FoundationEssentials
public import HTTPTypes

/// The body of a response, piece by piece as it comes, for one reader, who holds the server back by not reading.
///
/// The transfer is cancelled when the body is dropped unread.
public struct HTTPResponseBody: AsyncSequence, Sendable {
    public typealias Element = Data

    let exchange: StreamedExchange
    let failure: BodyFailure

    public func makeAsyncIterator() -> Iterator { Iterator(exchange: exchange, failure: failure) }

    /// The fields behind a chunked body; nil without any, and before the end of the body.
    public var trailers: HTTPFields? {
        let lines = exchange.trailers
        return lines.isEmpty ? nil : HTTPFields(lines: lines)
    }

    /// Reads all of it.
    ///
    /// - Throws: `URLError.dataLengthExceedsMaximum` for a body that is longer than `byteCount`.
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

    /// Reads the body piece by piece.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let exchange: StreamedExchange
        fileprivate let failure: BodyFailure

        /// The next piece; nil at the end.
        ///
        /// - Throws: `URLError`, or what the request's body was given up with.
        public mutating func next() async throws -> Data? {
            do {
                return try await exchange.nextPiece()
            } catch {
                throw failure.error ?? error
            }
        }
    }
}
