public import Foundation
import Synchronization

/// A door between Byte Club and its embedded club, that can be slow, shut, or lie.
///
/// It takes the place of the club's socket, so the real program goes through it without knowing.
/// Programs that were connected before stay connected to the club itself.
public final class ClubProxy: Sendable {
    /// What is done with a request.
    public enum Behavior: Sendable {
        case forward
        /// Takes this many bytes of the body, then no more until ``release()``.
        case hold(after: Int)
        /// Reads the whole request and answers with these bytes, without asking the club.
        case answer(Data)
        /// Has the club do it, and answers with these bytes instead of the club's; nil closes the connection.
        case tellInstead(Data?)
        /// Reads this many bytes of the body, then closes the connection.
        case hangUp(after: Int)
        /// Reads the whole request and never answers.
        case silence
    }

    /// A request as it came, and how it went.
    public struct Request: Sendable {
        public let head: String
        public internal(set) var bodyByteCount = 0
        public internal(set) var hasEnded = false
        /// When the program closed the connection before it had sent everything or heard anything.
        public internal(set) var abandoned: ContinuousClock.Instant?

        /// Without the query.
        public var path: String {
            let words = head.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
            return words.count > 1 ? String(words[1].prefix { $0 != "?" }) : ""
        }

        /// A header's value; `name` in any case.
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

    /// - Parameter socket: Where the club listens now.
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

    /// Gives the club its socket back. Held requests go on, and all that come after are forwarded.
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

    /// Lets all that is held go on.
    public func release() { state.update { $0.isReleased = true } }

    /// The requests so far, oldest first.
    public var requests: [Request] { state.read { $0.requests } }

    public func requests(to path: String) -> [Request] {
        requests.filter { $0.path.hasSuffix(path) }
    }

    /// Waits until a request to this path has brought that much of its body.
    public func waitForRequest(to path: String, bodyByteCount: Int = 0) async throws {
        try await state.wait(for: "a request to \(path) with \(bodyByteCount) bytes") { state in
            state.requests.contains {
                $0.path.hasSuffix(path) && $0.bodyByteCount >= bodyByteCount
            }
        }
    }

    /// Waits until the program has left a request to this path alone, and tells when it did.
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
    /// An answer of a server in HTTP/1.1.
    public static func answer(
        _ status: String, _ headers: [String: String] = [:], body: String = ""
    ) -> Data {
        let lines = headers.merging(["Content-Length": "\(body.utf8.count)"]) { $1 }
            .map { "\($0): \($1)\r\n" }.sorted().joined()
        return Data("HTTP/1.1 \(status)\r\n\(lines)\r\n\(body)".utf8)
    }
}
