import Foundation
import Synchronization

/// Three hundred hostile connections of six kinds, which come again whenever they are closed.
final class Besiegers: Sendable {
    enum Kind: CaseIterable {
        case dribbledHead, dribbledBody, unreadAnswers, idle, hugeHeader, pipelinedFlood

        var greeting: [UInt8] {
            let text =
                switch self {
                case .dribbledHead: "POST /2/files/list_folder HTTP/1.1\r\nHost: localhost\r\nX: "
                case .dribbledBody:
                    "POST /2/files/upload HTTP/1.1\r\nHost: localhost\r\n"
                        + "Content-Length: 100000\r\n\r\n"
                case .unreadAnswers:
                    String(repeating: "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 50)
                case .idle: ""
                case .hugeHeader:
                    "POST / HTTP/1.1\r\nX: " + String(repeating: "a", count: 60_000)
                case .pipelinedFlood:
                    String(
                        repeating: "POST /2/check/user HTTP/1.1\r\nHost: localhost\r\n"
                            + "Content-Length: 2\r\n\r\n{}", count: 200)
                }
            return Array(text.utf8)
        }

        var drop: [UInt8] { self == .idle ? [] : [UInt8(ascii: "a")] }
    }

    private let isOver = Mutex(false)
    private let reconnections = Mutex(0)
    private let ended = DispatchSemaphore(value: 0)

    /// How often a connection was closed by the server and made again.
    var reconnectionCount: Int { reconnections.withLock { $0 } }

    init(port: UInt16, count: Int) {
        Thread.detachNewThread { [self] in
            let kinds = Kind.allCases
            var connections = (0..<count).map { index in
                (kinds[index % kinds.count], Self.connect(port, kinds[index % kinds.count]))
            }
            while !isOver.withLock({ $0 }) {
                for (index, (kind, connection)) in connections.enumerated() {
                    if let connection, (try? connection.push(kind.drop)) != nil { continue }
                    connections[index].1 = Self.connect(port, kind)
                    reconnections.withLock { $0 += 1 }
                }
                usleep(10_000)
            }
            connections = []
            ended.signal()
        }
    }

    func stop() {
        isOver.withLock { $0 = true }
        ended.wait()
    }

    private static func connect(_ port: UInt16, _ kind: Kind) -> BenchConnection? {
        let connection = try? BenchConnection(port: port)
        try? connection?.push(kind.greeting)
        return connection
    }
}
