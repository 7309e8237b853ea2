import Foundation

@testable import TestSupport

/// The files of a ``StrictDropbox``, and the responses of its routes.
struct StrictClub {
    struct Node {
        /// In the case of the first write.
        var path: String
        /// Nil for a folder.
        var file: File?
        var id: String
    }

    struct File {
        var bytes: [UInt8]
        var revision: String
        var modified: String
    }

    var violations: [String] = []
    /// By lowercase path.
    var nodes: [String: Node] = [:]
    /// Each path that changed, in order.
    var changes: [String] = []
    var sessions: [String: [UInt8]] = [:]
    var waiting: [LoopbackGate] = []
    var count = 0

    /// So small that even a small folder takes several pages.
    static let entriesPerPage = 3

    typealias Argument = [String: Any]

    /// An error of a route.
    struct Refusal: Error {
        /// The error union.
        private let json: Data

        init(object: [String: Any]) {
            json = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        }

        /// Tags, from the outermost in.
        init(_ tags: String...) {
            var union: [String: Any] = [:]
            for tag in tags.reversed() {
                union = union.isEmpty ? [".tag": tag] : [".tag": tag, tag: union]
            }
            self.init(object: union)
        }

        var error: [String: Any] {
            (try? JSONSerialization.jsonObject(with: json)) as? [String: Any] ?? [:]
        }

        var steps: [LoopbackStep] {
            // Clients must not compare it: the number of dots varies.
            .json(
                object: [
                    "error_summary": "\(error[".tag"] ?? "")/..", "error": error,
                ], status: "409 Conflict")
        }
    }

    mutating func answer(
        _ route: String, _ argument: Argument, _ request: LoopbackRequest
    ) -> [LoopbackStep] {
        do {
            return try reply(route, argument, request)
        } catch let refusal as Refusal {
            return refusal.steps
        } catch {
            return violate("\(route): \(error)")
        }
    }

    mutating func reply(
        _ route: String, _ argument: Argument, _ request: LoopbackRequest
    ) throws -> [LoopbackStep] {
        switch route {
        case "users/get_current_account": return .json(object: Self.account)
        case "users/get_space_usage":
            let used = nodes.values.reduce(0) { $0 + ($1.file?.bytes.count ?? 0) }
            return .json(object: [
                "used": used, "allocation": [".tag": "individual", "allocated": 2_000_000_000],
            ])
        case "files/list_folder": return try list(argument)
        case "files/list_folder/continue": return try proceed(argument)
        case "files/list_folder/longpoll": return try wait(argument)
        case "files/get_metadata":
            return .json(object: metadata(try find(argument["path"], "path")))
        case "files/download": return try download(argument, request)
        case "files/upload":
            try check(request.body, argument)
            return .json(
                object: try commit(request.body, argument) { reason in
                    Refusal(object: [
                        ".tag": "path", "reason": reason, "upload_session_id": "refused",
                    ])
                })
        case "files/upload_session/start":
            try check(request.body, argument)
            count += 1
            sessions["session-\(count)"] = request.body
            return .json(object: ["session_id": "session-\(count)"])
        case "files/upload_session/append_v2":
            try append(request.body, argument) { Refusal(object: $0) }
            return .json("null")
        case "files/upload_session/finish":
            let name = try append(request.body, argument) {
                Refusal(object: [".tag": "lookup_failed", "lookup_failed": $0])
            }
            let answer = try commit(
                sessions[name] ?? [], argument["commit"] as? Argument ?? [:]
            ) { Refusal(object: [".tag": "path", "path": $0]) }
            sessions[name] = nil
            return .json(object: answer)
        case "files/get_thumbnail_v2": return try thumbnail(argument)
        case "files/get_thumbnail_batch": return thumbnails(argument)
        case "files/search_v2": return try search(argument)
        case "files/create_folder_v2": return try makeFolder(argument)
        case "files/delete_v2": return try delete(argument)
        case "files/move_v2": return try move(argument)
        default: return violate("\(route) is not to be needed")
        }
    }
}

// MARK: - Paths

extension StrictClub {
    static func isMalformed(_ path: String) -> Bool {
        path.hasSuffix("/") || path.contains("//") || path.hasSuffix(" ")
    }

    func key(_ path: Any?, _ tag: String) throws -> String {
        let path = path as? String ?? ""
        guard !Self.isMalformed(path) else { throw Refusal(tag, "malformed_path") }
        guard path == path.precomposedStringWithCanonicalMapping else {
            throw Refusal(tag, "not_found")
        }
        return path.lowercased()
    }

    func find(_ path: Any?, _ tag: String) throws -> Node {
        guard let node = nodes[try key(path, tag)] else { throw Refusal(tag, "not_found") }
        return node
    }

    static func parent(_ path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// Why a path cannot be written, as a `WriteError`; creates its parent folders.
    mutating func prepare(_ path: String) -> [String: Any]? {
        if Self.isMalformed(path) { return [".tag": "malformed_path"] }
        var missing: [String] = []
        var folder = Self.parent(path)
        while !folder.isEmpty, nodes[folder.lowercased()] == nil {
            missing.append(folder)
            folder = Self.parent(folder)
        }
        if nodes[folder.lowercased()]?.file != nil {
            return [".tag": "conflict", "conflict": [".tag": "file_ancestor"]]
        }
        for folder in missing.reversed() { put(Node(path: folder, file: nil, id: "")) }
        return nil
    }

    mutating func put(_ node: Node) {
        var node = node
        count += 1
        if node.id.isEmpty { node.id = "id:\(count)" }
        nodes[node.path.lowercased()] = node
        note(node.path.lowercased())
    }

    mutating func remove(_ key: String) {
        for other in nodes.keys where other == key || other.hasPrefix(key + "/") {
            nodes[other] = nil
        }
        note(key)
    }

    mutating func note(_ key: String) {
        changes.append(key)
        letGo()
    }

    /// Responds to clients that wait for changes.
    mutating func letGo() {
        for gate in waiting { gate.open() }
        waiting = []
    }

    static func conflict(with node: Node) -> [String: Any] {
        [".tag": "conflict", "conflict": [".tag": node.file == nil ? "folder" : "file"]]
    }
}

// MARK: - Answers

extension StrictClub {
    /// Includes an unknown field: responses may gain some at any time.
    func metadata(_ node: Node) -> [String: Any] {
        var facts: [String: Any] = [
            ".tag": node.file == nil ? "folder" : "file",
            "name": node.path.split(separator: "/").last.map(String.init) ?? "",
            "path_lower": node.path.lowercased(), "path_display": node.path, "id": node.id,
            "from_the_future": [".tag": "unheard_of"],
        ]
        if let file = node.file {
            facts["client_modified"] = file.modified
            facts["server_modified"] = "2026-11-22T06:00:00Z"
            facts["rev"] = file.revision
            facts["size"] = file.bytes.count
            facts["is_downloadable"] = true
            facts["content_hash"] = Self.hash(file.bytes)
        }
        return facts
    }

    /// JSON escaped for a header.
    static func header(_ object: [String: Any]) -> String {
        let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        return String(decoding: data, as: UTF8.self).utf16.map { unit in
            (0x20...0x7E).contains(unit)
                ? String(UnicodeScalar(UInt8(unit)))
                : "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count)
                    + String(unit, radix: 16)
        }.joined()
    }

    static var account: [String: Any] {
        [
            "account_id": "dbid:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "email": "ann@club.example",
            "name": [
                "given_name": "Ann", "surname": "Lee", "familiar_name": "Ann",
                "display_name": "Ann Lee", "abbreviated_name": "AL",
            ],
            "email_verified": true, "disabled": false, "locale": "en", "is_paired": false,
            "referral_link": "https://db.tt/x", "account_type": [".tag": "basic"], "country": "CH",
            "root_info": [".tag": "user", "root_namespace_id": "1", "home_namespace_id": "1"],
        ]
    }
}

extension [LoopbackStep] {
    static func json(object: [String: Any], status: String = "200 OK") -> Self {
        let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        return [
            .answer(status, ["Content-Type: application/json"], body: [UInt8](data))
        ]
    }
}
