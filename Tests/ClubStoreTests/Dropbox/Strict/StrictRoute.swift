import Foundation
import TestSupport

/// One route of the API: how its argument is sent, and what it may contain.
struct StrictRoute: Sendable {
    enum Style: Sendable {
        case rpc, upload, download
    }

    var style = Style.rpc
    /// Nil for a route without an argument.
    var argument: StrictShape?
    var takesToken = true

    /// The token that calls must send.
    static let token = "the-token"

    /// Source: `files.stone`, `users.stone`.
    static let all: [String: StrictRoute] = [
        "users/get_current_account": StrictRoute(),
        "users/get_space_usage": StrictRoute(),
        "files/list_folder": StrictRoute(argument: listing),
        "files/list_folder/continue": StrictRoute(
            argument: .fields(["cursor": .string()], required: ["cursor"])),
        "files/list_folder/longpoll": StrictRoute(
            argument: .fields(
                ["cursor": .string(), "timeout": .integer(30...480)], required: ["cursor"]),
            takesToken: false),
        "files/get_metadata": StrictRoute(
            argument: .fields(
                [
                    "path": .pathToRead, "include_media_info": .bool, "include_deleted": .bool,
                    "include_has_explicit_shared_members": .bool,
                ], required: ["path"])),
        "files/download": StrictRoute(
            style: .download,
            argument: .fields(["path": .pathToRead, "rev": .revision], required: ["path"])),
        "files/upload": StrictRoute(
            style: .upload,
            argument: .fields(
                commit.merging(["content_hash": .hash]) { $1 }, required: ["path"])),
        "files/upload_session/start": StrictRoute(
            style: .upload,
            argument: .fields([
                "close": .bool, "session_type": .tags("sequential", "concurrent"),
                "content_hash": .hash,
            ])),
        "files/upload_session/append_v2": StrictRoute(
            style: .upload,
            argument: .fields(
                ["cursor": session, "close": .bool, "content_hash": .hash], required: ["cursor"])),
        "files/upload_session/finish": StrictRoute(
            style: .upload,
            argument: .fields(
                [
                    "cursor": session, "commit": .fields(commit, required: ["path"]),
                    "content_hash": .hash,
                ], required: ["cursor", "commit"])),
        "files/get_thumbnail_v2": StrictRoute(
            style: .download,
            argument: .fields(
                picture.merging(["resource": .union(["path": .pathToRead])]) { $1 },
                required: ["resource"])),
        "files/get_thumbnail_batch": StrictRoute(
            argument: .fields(
                [
                    "entries": .list(
                        .fields(
                            picture.merging(["path": .pathToRead]) { $1 }, required: ["path"]),
                        longest: 25)
                ], required: ["entries"])),
        "files/search_v2": StrictRoute(
            argument: .fields(
                [
                    "query": .string(longest: 1000),
                    "options": .fields([
                        "path": .pathOrRoot, "max_results": .integer(1...1000),
                        "order_by": .tags("relevance", "last_modified_time"),
                        "file_status": .tags("active", "deleted"), "filename_only": .bool,
                        "file_extensions": .list(.string(), longest: .max),
                        "file_categories": .list(.string(), longest: .max),
                    ]),
                    "match_field_options": .fields(["include_highlights": .bool]),
                ], required: ["query"])),
        "files/search/continue_v2": StrictRoute(
            argument: .fields(["cursor": .string()], required: ["cursor"])),
        "files/create_folder_v2": StrictRoute(
            argument: .fields(["path": .path, "autorename": .bool], required: ["path"])),
        "files/delete_v2": StrictRoute(
            argument: .fields(["path": .pathOrID, "parent_rev": .revision], required: ["path"])),
        "files/move_v2": StrictRoute(
            argument: .fields(
                [
                    "from_path": .pathOrID, "to_path": .pathOrID, "autorename": .bool,
                    "allow_ownership_transfer": .bool,
                ], required: ["from_path", "to_path"])),
    ]

    private static let listing = StrictShape.fields(
        [
            "path": .pathOrRoot, "recursive": .bool, "include_deleted": .bool,
            "include_has_explicit_shared_members": .bool, "include_mounted_folders": .bool,
            "limit": .integer(1...2000), "include_non_downloadable_files": .bool,
        ], required: ["path"])

    private static let commit: [String: StrictShape] = [
        "path": .pathOrID, "mode": .union(["add": nil, "overwrite": nil, "update": .revision]),
        "autorename": .bool, "client_modified": .timestamp, "mute": .bool, "strict_conflict": .bool,
    ]

    private static let session = StrictShape.fields(
        ["session_id": .string(), "offset": .integer(0...Int.max)],
        required: ["session_id", "offset"])

    private static let picture: [String: StrictShape] = [
        "format": .tags("jpeg", "png", "webp"),
        "size": .tags(
            "w32h32", "w64h64", "w128h128", "w256h256", "w480h320", "w640h480", "w960h640",
            "w1024h768", "w2048h1536"),
        "mode": .tags("strict", "bestfit", "fitone_bestfit", "original"),
    ]
}

// MARK: - One request

extension StrictRoute {
    /// The maximum size of a request.
    private static let byteLimit = 150 << 20

    /// The argument of a request, or its violation.
    func read(_ request: LoopbackRequest) -> Result<[String: Any], StrictViolation> {
        if let problem = problemOfTransport(request) { return .failure(problem) }
        let text: String
        switch style {
        case .rpc: text = request.text
        case .upload, .download: text = request["Dropbox-API-Arg"] ?? ""
        }
        guard let argument else {
            return text == "null" || (text.isEmpty && request["Content-Type"] == nil)
                ? .success([:]) : .failure(StrictViolation("expected null, got \(text)"))
        }
        guard
            let value = try? JSONSerialization.jsonObject(
                with: Data(text.utf8), options: .fragmentsAllowed)
        else { return .failure(StrictViolation("could not decode input as JSON: \(text)")) }
        if let problem = argument.problem(with: value) {
            return .failure(StrictViolation(problem))
        }
        return .success(value as? [String: Any] ?? [:])
    }

    private func problemOfTransport(_ request: LoopbackRequest) -> StrictViolation? {
        guard request.method == "POST" else { return StrictViolation("\(request.method)") }
        for name in ["Transfer-Encoding", "Expect", "Cookie"] where request[name] != nil {
            return StrictViolation("a field \(name)")
        }
        guard request.values(of: "Content-Length") == [String(request.body.count)] else {
            return StrictViolation("no Content-Length, or another one")
        }
        let authorization = request.values(of: "Authorization")
        guard authorization == (takesToken ? ["Bearer \(Self.token)"] : []) else {
            return StrictViolation("Authorization \(authorization)")
        }
        let type = request["Content-Type"]
        let isRightType =
            switch style {
            case .rpc: type == "application/json" || type == "application/json; charset=utf-8"
            case .upload: type == "application/octet-stream"
            case .download: type == nil && request.body.isEmpty
            }
        guard isRightType else { return StrictViolation("Content-Type \(type ?? "none")") }
        let headers = request.values(of: "Dropbox-API-Arg")
        guard headers.count == (style == .rpc ? 0 : 1),
            headers.allSatisfy({ $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
        else { return StrictViolation("Dropbox-API-Arg \(headers)") }
        return request.body.count <= Self.byteLimit ? nil : StrictViolation("a body too large")
    }
}

/// A violation of the documentation by a client.
struct StrictViolation: Error {
    let words: String

    init(_ words: String) {
        self.words = words
    }
}
