import Foundation
import Synchronization

/// A minimal WebDAV server: one folder, its files, a name and a password.
public final class StandInWebDAV: Sendable {
    public let user = "ann"
    public var password: String { door.password.withLock { $0 } }
    /// A bearer token that is accepted like the password.
    public let token = "sesame.for-ann_1"
    private let server: LoopbackServer
    private let door = Door()

    /// The accepted credentials.
    private final class Door: Sendable {
        let password = Mutex("correct horse battery staple")
        /// A second password that is accepted temporarily.
        let other = Mutex<String?>(nil)

        var passwords: [String] {
            [password.withLock { $0 }] + (other.withLock { $0 }.map { [$0] } ?? [])
        }
    }

    /// Whether the club's folder exists.
    private final class Folder: Sendable {
        let isThere: Mutex<Bool>

        init(isThere: Bool) { self.isThere = Mutex(isThere) }
    }

    /// - Parameters:
    ///   - files: Their texts by name.
    ///   - date: The `Date` header of listings, in HTTP's format; nil for none.
    ///   - hasFolder: Whether the club's folder exists already; else it can be created.
    ///   - gate: Holds authorized requests; nil for none.
    public init(
        files: [String: String] = [:], date: String? = nil, hasFolder: Bool = true,
        gate: LoopbackGate? = nil
    ) throws {
        let folder = Folder(isThere: hasFolder)
        server = try LoopbackServer { [user, token, door] request in
            let authorizations =
                door.passwords.map { Self.authorization(user: user, password: $0) }
                + ["Bearer \(token)"]
            guard let shown = request["Authorization"], authorizations.contains(shown) else {
                return [
                    .answer(
                        "401 Unauthorized", ["WWW-Authenticate: Basic realm=\"club\""], body: "")
                ]
            }
            let name = request.target.split(separator: "/").dropFirst().first.map(String.init)
            let answer: LoopbackStep
            switch (request.method, name) {
            case ("MKCOL", nil):
                let isNew = folder.isThere.withLock { isThere in
                    defer { isThere = true }
                    return !isThere
                }
                answer = .answer(isNew ? "201 Created" : "405 Method Not Allowed")
            case _ where !folder.isThere.withLock { $0 }: answer = .answer("404 Not Found")
            case ("PROPFIND", nil):
                answer = Self.multistatus(
                    ["/club/": nil].merging(files.map { ("/club/" + $0, $1) }) { $1 },
                    date: date)
            case ("PROPFIND", let name?) where files[name] != nil:
                answer = Self.multistatus(["/club/" + name: files[name]], date: date)
            case ("GET", let name?) where files[name] != nil:
                answer = .answer("200 OK", ["ETag: \"1\""], body: files[name] ?? "")
            default: answer = .answer("404 Not Found")
            }
            return (gate.map { [.wait($0)] } ?? []) + [answer]
        }
    }

    /// The club's folder.
    public var address: String { "http://127.0.0.1:\(server.port)/club" }
    public var requests: [LoopbackRequest] { server.requests }

    /// The `Authorization` header for a password: Basic.
    public static func authorization(user: String, password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Replaces the password.
    public func change(passwordTo password: String) {
        door.password.withLock { $0 = password }
        door.other.withLock { $0 = nil }
    }

    /// Accepts a second password.
    public func add(password: String) { door.other.withLock { $0 = password } }

    /// Stops listening.
    public func stop() { server.stop() }

    private static func multistatus(
        _ entries: [String: String?], date: String?
    ) -> LoopbackStep {
        let responses = entries.sorted { $0.key < $1.key }.map { path, text in
            let type = text == nil ? "<D:collection/>" : ""
            let length = text.map { "<D:getcontentlength>\($0.utf8.count)</D:getcontentlength>" }
            return """
                <D:response><D:href>\(path)</D:href><D:propstat><D:prop>\
                <D:resourcetype>\(type)</D:resourcetype>\(length ?? "")<D:getetag>"1"</D:getetag>\
                <D:getlastmodified>Sat, 21 Nov 2026 12:00:00 GMT</D:getlastmodified>\
                </D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
                """
        }
        return .answer(
            "207 Multi-Status",
            ["Content-Type: application/xml; charset=utf-8"] + (date.map { ["Date: " + $0] } ?? []),
            body: "<?xml version=\"1.0\"?><D:multistatus xmlns:D=\"DAV:\">"
                + responses.joined() + "</D:multistatus>")
    }
}
