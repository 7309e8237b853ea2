package import FoundationEssentials
import Synchronization

/// A request whose body can be written while its response is read; used by other products of the package.
///
/// Releasing the last reference cancels it.
package final class StreamedExchange: Sendable {
    package let task: URLSessionDataTask
    private let channel: ByteChannel

    /// The body of the request.
    package enum Body: Sendable {
        case none
        case data(Data)
        case file(URL)
        case produced(BodyProducer)
    }

    package init(
        _ request: URLRequest, body: Body, in session: URLSession,
        delegate: (any URLSessionTaskDelegate)?
    ) {
        let channel = ByteChannel()
        self.channel = channel
        let source: BodySource =
            switch body {
            case .none: BodySource(of: request)
            case .data(let data): .data(data)
            case .file(let url): .file(url)
            case .produced(let producer): .produced(producer)
            }
        task =
            source.isEmpty
            ? session.dataTask(request, for: .bytes(channel), delegate: delegate)
            : session.uploadTask(request, source, for: .bytes(channel), delegate: delegate)
    }

    deinit {
        task.cancel()
    }

    /// Sends the request, and returns when the head of the response was received.
    ///
    /// - Throws: `URLError`; `.cancelled` if the surrounding task is cancelled.
    package func response() async throws -> URLResponse {
        try await withTaskCancellationHandler {
            task.resume()
            return try await channel.response.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Returns the next piece of the response's body, or nil at its end. Supports one reader at a time; the
    /// transfer is paused while it does not read.
    package func nextPiece() async throws -> Data? {
        let piece = try await withTaskCancellationHandler {
            try await channel.next()
        } onCancel: {
            task.cancel()
        }
        if let piece { task.didConsume(piece.count) }
        return piece
    }

    /// The trailers of a chunked body, in order; empty before its end.
    package var trailers: [(name: String, value: String)] {
        task.status.withLock { $0.trailers }.map { ($0.name, $0.value) }
    }
}

extension URLRequest {
    /// Creates a request with fields in order.
    package init(url: URL, method: String, fields: [(name: String, value: String)]) {
        self.init(url: url)
        httpMethod = method
        for (name, value) in fields {
            let isCookie = name.isEqualIgnoringASCIICase(to: "Cookie")
            // Cookies are joined by semicolons, not commas (RFC 9113 §8.2.3).
            if isCookie, let said = headers[name] {
                headers[name] = said + "; " + value
            } else {
                headers.add(value, for: name)
            }
        }
    }

    /// The fields in order.
    package var fieldLines: [(name: String, value: String)] {
        headers.fields.map { ($0.name, $0.value) }
    }
}

extension HTTPURLResponse {
    /// The fields in order, with a separate line for each `Set-Cookie`, because these cannot be joined
    /// unambiguously.
    package var fieldLines: [(name: String, value: String)] {
        headers.fields.flatMap { field in
            guard field.name.isEqualIgnoringASCIICase(to: "Set-Cookie"), !setCookies.isEmpty else {
                return [(field.name, field.value)]
            }
            return setCookies.map { (field.name, $0) }
        }
    }
}
