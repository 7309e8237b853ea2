public import Foundation
import Synchronization

/// A proxy between Byte Club and its embedded club that can delay, block or falsify.
///
/// It replaces the club's socket, so the real program uses it without knowing. Programs that were
/// already connected stay connected to the club itself.
public final class ClubProxy: Sendable {
    /// How a request is handled.
    public enum Behavior: Sendable {
        case forward
        /// Reads this many bytes of the body, then no more until ``release()``.
        case hold(after: Int)
        /// Reads the whole request and responds with these bytes, without forwarding it.
        case answer(Data)
        /// Forwards the request, but responds with these bytes; nil closes the connection.
        case tellInstead(Data?)
        /// Reads this many bytes of the body, then closes the connection.
        case hangUp(after: Int)
        /// Reads the whole request and never responds.
        case silence
    }

    /// A request and its state.
    public struct Request: Sendable {
        public let head: String
        public internal(set) var bodyByteCount = 0
        public internal(set) var hasEnded = false
        /// When the program closed the connection before it had sent everything or received
        /// anything.
        public internal(set) var abandoned: ContinuousClock.Instant?

        /// Without the query.
        public var path: String {
            let words = head.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
            return words.count > 1 ? String(words[1].prefix { $0 != "?" }) : ""
        }

        /// A header's value; the name is case-insensitive.
        public func header(_ name: String) -> String? {
            for line in head.split(whereSeparator: \.isNewline).dropFirst() {
                guard let colon = line.firstIndex(of: ":"),
                    line[..<colon].lowercased() == name.lowercased()
                else { continue }
                return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            return nil
        }
    }

    struct State {
        var requests: [Request] = []
        var isReleased = false
        var isClosed = false
    }

    let state = Watched(State())
    let behavior: @Sendable (Request) -> Behavior
    let club: String
    private let socketPath: String
    private let listener: Int32

    /// - Parameter socket: The club's current socket.
    public init(
        takingThePlaceOf socket: String, _ behavior: @escaping @Sendable (Request) -> Behavior
    ) throws {
        socketPath = socket
        club = socket + ".club"
        self.behavior = behavior
        guard rename(socket, club) == 0 else { throw POSIXError(.ENOENT) }
        listener = try UnixSocket.listen(at: socket)
        Thread.detachNewThread { self.accept() }
    }

    deinit { close(listener) }

    /// Restores the club's socket. Held requests continue, and all later ones are forwarded.
    public func stop() {
        let wasOpen = state.update { state in
            defer {
                state.isClosed = true
                state.isReleased = true
            }
            return !state.isClosed
        }
        guard wasOpen else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        rename(club, socketPath)
    }

    /// Lets all held requests continue.
    public func release() { state.update { $0.isReleased = true } }

    /// The requests so far, oldest first.
    public var requests: [Request] { state.read { $0.requests } }

    public func requests(to path: String) -> [Request] {
        requests.filter { $0.path.hasSuffix(path) }
    }

    /// Waits until this much of the body of a request to this path was read.
    public func waitForRequest(to path: String, bodyByteCount: Int = 0) async throws {
        try await state.wait(for: "a request to \(path) with \(bodyByteCount) bytes") { state in
            state.requests.contains {
                $0.path.hasSuffix(path) && $0.bodyByteCount >= bodyByteCount
            }
        }
    }

    /// Waits until the program has abandoned a request to this path; returns when.
    public func waitForAbandonment(of path: String) async throws -> ContinuousClock.Instant {
        try await state.wait(for: "the program to close its connection") { state in
            state.requests.contains { $0.path.hasSuffix(path) && $0.abandoned != nil }
        }
        return requests(to: path).compactMap(\.abandoned).first ?? .now
    }

    private func accept() {
        while !state.read({ $0.isClosed }) {
            let client = UnixSocket.accept(on: listener)
            guard client >= 0 else { return }
            let connection = ClubProxyConnection(client: client, proxy: self)
            Thread.detachNewThread { connection.run() }
        }
    }
}

extension Data {
    /// An HTTP/1.1 response.
    public static func answer(
        _ status: String, _ headers: [String: String] = [:], body: String = ""
    ) -> Data {
        let lines = headers.merging(["Content-Length": "\(body.utf8.count)"]) { $1 }
            .map { "\($0): \($1)\r\n" }.sorted().joined()
        return Data("HTTP/1.1 \(status)\r\n\(lines)\r\n\(body)".utf8)
    }
}
