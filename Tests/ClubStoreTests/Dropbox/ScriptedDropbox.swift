import DropboxAPI
import Foundation
import Synchronization
import TestSupport

@testable import ClubStore

/// A server with scripted responses, one per request, and a store that never really waits.
final class ScriptedDropbox: Sendable {
    let server: LoopbackServer
    let store: DropboxStore
    private let waitsSoFar: Waits

    /// The store's delays between attempts.
    var waits: [Duration] { waitsSoFar.all.withLock { $0 } }

    var requests: [LoopbackRequest] { server.requests }

    /// The requested routes, in order: `files/upload`.
    var routes: [String] { requests.map { String($0.target.dropFirst(3)) } }

    /// - Parameters:
    ///   - answers: The last one is repeated.
    convenience init(
        _ answers: [[LoopbackStep]], access: any AccessProvider = FixedToken("the-token"),
        configure: (inout DropboxStore.Configuration) -> Void = { _ in }
    ) throws {
        let count = Mutex(0)
        try self.init(access: access, configure: configure) { _ in
            let index = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return answers[min(index, answers.count - 1)]
        }
    }

    init(
        access: any AccessProvider = FixedToken("the-token"),
        configure: (inout DropboxStore.Configuration) -> Void = { _ in },
        answering: @escaping @Sendable (LoopbackRequest) -> [LoopbackStep]
    ) throws {
        server = try LoopbackServer(on: .unixSocket, answering: answering)
        let waits = Waits()
        waitsSoFar = waits
        var configuration = DropboxStore.Configuration(
            hosts: DropboxStore.Hosts(all: server.url("")), unixSocketPath: server.socketPath)
        configuration.clock.jitter = { 1 }
        configuration.clock.sleep = { wait in waits.all.withLock { $0.append(wait) } }
        configure(&configuration)
        store = DropboxStore(configuration, access: access)
    }

    private final class Waits: Sendable {
        let all = Mutex<[Duration]>([])
    }
}

extension [LoopbackStep] {
    static func json(_ body: String, status: String = "200 OK") -> Self {
        [.answer(status, ["Content-Type: application/json"], body: body)]
    }

    static func json(_ value: some Encodable) -> Self {
        .json(String(decoding: (try? WireJSON.encode(value)) ?? Data(), as: UTF8.self))
    }

    static func refusal(_ union: String, status: String = "409 Conflict") -> Self {
        .json(#"{"error_summary":"some/words/..","error":\#(union)}"#, status: status)
    }

    /// The response to a download.
    static func bytes(
        _ data: Data, of file: FileMetadata, status: String = "200 OK", fields: [String] = []
    ) -> Self {
        let result = (try? WireJSON.encodeForHeader(file)) ?? ""
        return [
            .answer(
                status,
                ["Content-Type: application/octet-stream", "Dropbox-API-Result: \(result)"]
                    + fields,
                body: [UInt8](data))
        ]
    }

    static let html: Self = [
        .answer(
            "200 OK", ["Content-Type: text/html"],
            body: "<html><body>Please accept our terms</body></html>")
    ]
}

extension FileMetadata {
    static func named(
        _ path: String, revision: String = "0123456789abc", data: Data = Data(),
        hash: ContentHash? = nil
    ) -> FileMetadata {
        FileMetadata(
            name: String(path.split(separator: "/").last ?? ""), pathLower: path.lowercased(),
            pathDisplay: path, id: "id:abc",
            clientModified: Timestamp(secondsSince1970: 1_600_000_000),
            serverModified: Timestamp(secondsSince1970: 1_600_000_001), revision: revision,
            size: UInt64(data.count), contentHash: hash ?? ContentHash(of: data))
    }
}
