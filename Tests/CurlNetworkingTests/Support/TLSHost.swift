import Foundation
import Synchronization
import TestSupport

/// `openssl s_server` on 127.0.0.1: an HTTP server over TLS that serves one connection at a time and
/// keeps each open.
final class TLSHost: Sendable {
    let place: ReservedPort
    private let state: State

    /// Used by its thread, stopped by the owner of the host.
    private final class State: @unchecked Sendable {
        // Unchecked because of the command, which is written to by the thread alone, and stopped
        // once, from the host's deinit.
        let command: OpenSSLCommand
        /// The head of each answer.
        let head: String
        let text = Mutex("")

        init(_ command: OpenSSLCommand, _ fields: [String]) {
            self.command = command
            head = (["HTTP/1.1 200 OK"] + fields + ["", ""]).joined(separator: "\r\n")
        }

        func serve() {
            var answered = 0
            _ = command.read { text in
                self.text.withLock { $0 = text }
                let count = text.components(separatedBy: "\r\n\r\n").count - 1
                while answered < count {
                    answered += 1
                    command.write(head + "in")
                }
                return false
            }
        }
    }

    /// - Parameters:
    ///   - place: Where to listen; nil: somewhere.
    ///   - options: Of `openssl s_server`.
    ///   - fields: What it answers beside its length.
    ///   - tellsLength: Whether it tells that; without it, the body goes on until `hangUp` or `stop`.
    init(
        _ item: CertificateShop.Item, at place: ReservedPort? = nil, _ options: [String] = [],
        fields: [String] = [], tellsLength: Bool = true
    ) throws {
        let place = try place ?? ReservedPort()
        let command = try OpenSSLCommand(
            [
                "s_server", "-accept", "127.0.0.1:\(place.number)", "-cert", item.certificate,
                "-key", item.key,
            ] + options, isFed: true)
        let text = command.read { $0.contains("ACCEPT") && $0.hasSuffix("\n") }
        guard text.contains("ACCEPT") else { throw OpenSSLCommand.Failure(text: text) }
        self.place = place
        state = State(command, fields + (tellsLength ? ["Content-Length: 2"] : []))
        Thread.detachNewThread { [state] in state.serve() }
    }

    deinit {
        stop()
    }

    /// Closes the connection there is. The next one may come.
    func hangUp() {
        state.command.write("q\n")
    }

    var port: Int { Int(place.number) }

    /// Ends the command. The port stays its own.
    func stop() {
        state.command.stop()
    }

    func url(host: String = "localhost", _ path: String = "/") -> URL {
        guard let url = URL(string: "https://\(host):\(port)\(path)") else {
            preconditionFailure("bad host \(host)")
        }
        return url
    }

    /// What the command prints: what it got, between remarks of its own.
    var transcript: String { state.text.withLock { $0 } }

    /// The heads of requests it got.
    var requestCount: Int {
        state.text.withLock { $0.components(separatedBy: "GET /").count - 1 }
    }
}
