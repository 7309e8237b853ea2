import Foundation
import Synchronization

/// The responses of ``StandInDropbox``.
struct StandInAnswers {
    let box: StandInDropbox.Box
    let appKey: String

    func answer(_ request: LoopbackRequest) -> [LoopbackStep] {
        guard request.method == "POST" else { return text("405 Method Not Allowed", "POST only") }
        if request.target == "/oauth2/token" { return token(request) }
        guard request.target.hasPrefix("/2/") else { return text("404 Not Found", "no such thing") }
        let route = String(request.target.dropFirst(3))
        if route == "files/list_folder/longpoll" {
            if request["Authorization"] != nil { return bad("longpoll takes no Authorization") }
            // There are never any changes: a client waits until it disconnects.
            return [.stall]
        }
        if let refusal = refusal(request) { return refusal }
        return api(route, request)
    }

    // MARK: - Tokens

    private func token(_ request: LoopbackRequest) -> [LoopbackStep] {
        let scripted = box.state.withLock { state in
            state.tokenAnswers.isEmpty ? nil : state.tokenAnswers.removeFirst()
        }
        if let scripted { return scripted }
        guard request["Content-Type"]?.hasPrefix("application/x-www-form-urlencoded") == true,
            request["Authorization"] == nil
        else { return bad("the token endpoint takes a form and no Authorization") }
        var fields: [String: String] = [:]
        for item in URLComponents(string: "?" + request.text.replacing("+", with: "%20"))?
            .queryItems ?? []
        {
            if fields[item.name] != nil { return bad("\(item.name) twice") }
            fields[item.name] = item.value ?? ""
        }
        guard fields["client_id"] == appKey else {
            return refuse("invalid_client: Invalid client_id or client_secret", "invalid_client")
        }
        switch fields["grant_type"] {
        case "authorization_code": return exchange(fields)
        case "refresh_token": return refresh(fields)
        default: return refuse("unsupported_grant_type", "unsupported_grant_type")
        }
    }

    private func exchange(_ fields: [String: String]) -> [LoopbackStep] {
        let known: Set = ["grant_type", "code", "client_id", "code_verifier", "redirect_uri"]
        for name in fields.keys where !known.contains(name) { return bad("unknown \(name)") }
        let grant = box.state.withLock { $0.codes.removeValue(forKey: fields["code"] ?? "") }
        guard let grant else {
            return refuse("code doesn't exist or has expired", "invalid_grant")
        }
        let verifier = fields["code_verifier"] ?? ""
        let letters = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        guard (43...128).contains(verifier.count),
            verifier.unicodeScalars.allSatisfy(letters.contains)
        else { return bad("a verifier that is none") }
        guard Self.challenge(of: verifier) == grant.challenge else {
            return refuse("invalid code verifier", "invalid_grant")
        }
        guard fields["redirect_uri"] == grant.redirect else {
            return refuse("redirect_uri mismatch", "invalid_grant")
        }
        let (access, refresh) = box.state.withLock { state in
            let pair = ("sl." + UUID().uuidString, "refresh-" + UUID().uuidString)
            state.refreshTokens[pair.1] = true
            state.accessTokens[pair.0] = .valid(refresh: pair.1)
            state.secrets += [pair.0, pair.1, verifier]
            return pair
        }
        return json([
            "access_token": access, "token_type": "bearer", "expires_in": lifetime,
            "refresh_token": refresh, "uid": "1234", "account_id": "dbid:1234",
            "scope":
                "account_info.read files.content.read files.content.write files.metadata.read",
        ])
    }

    private var lifetime: Int { box.state.withLock { $0.lifetimeSeconds } }

    private func refresh(_ fields: [String: String]) -> [LoopbackStep] {
        let known: Set = ["grant_type", "refresh_token", "client_id", "scope"]
        for name in fields.keys where !known.contains(name) { return bad("unknown \(name)") }
        let refresh = fields["refresh_token"] ?? ""
        let access = box.state.withLock { state -> String? in
            guard state.refreshTokens[refresh] == true else { return nil }
            let access = "sl." + UUID().uuidString
            state.accessTokens[access] = .valid(refresh: refresh)
            state.secrets.append(access)
            return access
        }
        guard let access else {
            return refuse("refresh token is invalid or revoked", "invalid_grant")
        }
        return json(["access_token": access, "token_type": "bearer", "expires_in": lifetime])
    }

    /// Base64url of SHA-256.
    static func challenge(of verifier: String) -> String {
        Data(PlainSHA256.hash(of: Array(verifier.utf8))).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    // MARK: - Calls

    /// The response that rejects the token; nil when it is valid.
    private func refusal(_ request: LoopbackRequest) -> [LoopbackStep]? {
        let fields = request.values(of: "Authorization")
        guard fields.count == 1, fields[0].hasPrefix("Bearer ") else {
            return bad("no bearer token")
        }
        let token = String(fields[0].dropFirst(7))
        switch box.state.withLock({ $0.accessTokens[token] }) {
        case .valid: return nil
        case .expired: return unauthorized("expired_access_token")
        case .revoked, nil: return unauthorized("invalid_access_token")
        }
    }

    private func api(_ route: String, _ request: LoopbackRequest) -> [LoopbackStep] {
        let argument =
            request["Dropbox-API-Arg"].map { Data($0.utf8) } ?? Data(request.body)
        let fields = (try? JSONSerialization.jsonObject(with: argument)) as? [String: Any] ?? [:]
        let path = fields["path"] as? String ?? ""
        switch route {
        case "auth/token/revoke": return revoke(request)
        case "users/get_current_account": return json(Self.account)
        case "users/get_space_usage":
            return json([
                "used": 1_200_000_000,
                "allocation": [".tag": "individual", "allocated": 2_000_000_000],
            ])
        case "files/list_folder", "files/list_folder/continue":
            let isFirst = route == "files/list_folder"
            let files = box.state.withLock { $0.files }
            let inFolder = files.filter { path.isEmpty || $0.key.hasPrefix(path + "/") }
            let entries = inFolder.sorted { $0.key < $1.key }.map {
                metadata($0.key, $0.value, isTagged: true)
            }
            return json([
                "entries": isFirst ? entries : [], "cursor": "cursor", "has_more": false,
            ])
        case "files/create_folder_v2":
            return json([
                "metadata": ["name": "folder", "id": "id:folder", "path_display": path]
            ])
        case "files/get_metadata":
            guard let data = box.state.withLock({ $0.files[path] }) else { return notFound }
            return json(metadata(path, data, isTagged: true))
        case "files/download":
            guard let data = box.state.withLock({ $0.files[path] }),
                let result = try? JSONSerialization.data(withJSONObject: metadata(path, data))
            else { return notFound }
            return [
                .answer(
                    "200 OK",
                    [
                        "Content-Type: application/octet-stream",
                        "Dropbox-API-Result: " + String(decoding: result, as: UTF8.self),
                    ], body: [UInt8](data))
            ]
        case "files/upload":
            let data = Data(request.body)
            box.state.withLock { state in
                state.files[path] = data
                state.revision += 1
            }
            return json(metadata(path, data))
        default: return bad("unknown route \(route)")
        }
    }

    private func revoke(_ request: LoopbackRequest) -> [LoopbackStep] {
        if box.state.withLock({ $0.stallsRevocations }) { return [.stall] }
        guard ["", "null"].contains(request.text) else { return bad("revoke takes nothing") }
        let token = String(request["Authorization"]?.dropFirst(7) ?? "")
        box.state.withLock { state in
            guard case .valid(let refresh) = state.accessTokens[token] else { return }
            state.refreshTokens[refresh] = false
            for (other, access) in state.accessTokens {
                switch access {
                case .valid(refresh), .expired(refresh): state.accessTokens[other] = .revoked
                default: break
                }
            }
        }
        return [.answer("200 OK", ["Content-Type: application/json"], body: "null")]
    }

    private func metadata(_ path: String, _ data: Data, isTagged: Bool = false) -> [String: Any] {
        var fields: [String: Any] = [
            "name": String(path.split(separator: "/").last ?? ""), "id": "id:" + path,
            "path_lower": path.lowercased(), "path_display": path, "rev": "0123456789abc",
            "client_modified": "2026-11-21T12:00:00Z", "server_modified": "2026-11-21T12:00:00Z",
            "size": data.count,
        ]
        if isTagged { fields[".tag"] = "file" }
        return fields
    }

    private static var account: [String: Any] {
        [
            "account_id": "dbid:" + String(repeating: "a", count: 35),
            "name": [
                "given_name": "Ada", "surname": "Lovelace", "familiar_name": "Ada",
                "display_name": "Ada Lovelace", "abbreviated_name": "AL",
            ],
            "email": "ada@example.org", "email_verified": true, "disabled": false, "locale": "en",
            "referral_link": "https://db.tt/x", "is_paired": false,
            "account_type": [".tag": "basic"],
            "root_info": [
                ".tag": "user", "root_namespace_id": "1", "home_namespace_id": "1",
            ],
        ]
    }

    // MARK: - Answers

    private var notFound: [LoopbackStep] {
        json(
            [
                "error_summary": "path/not_found/..",
                "error": [".tag": "path", "path": [".tag": "not_found"]],
            ], "409 Conflict")
    }

    private func unauthorized(_ tag: String) -> [LoopbackStep] {
        json(["error_summary": tag + "/", "error": [".tag": tag]], "401 Unauthorized")
    }

    private func json(_ value: [String: Any], _ status: String = "200 OK") -> [LoopbackStep] {
        let data = (try? JSONSerialization.data(withJSONObject: value)) ?? Data()
        return [.answer(status, ["Content-Type: application/json"], body: [UInt8](data))]
    }

    private func refuse(_ words: String, _ error: String) -> [LoopbackStep] {
        json(["error": error, "error_description": words], "400 Bad Request")
    }

    private func text(_ status: String, _ words: String) -> [LoopbackStep] {
        [.answer(status, ["Content-Type: text/plain"], body: words)]
    }

    private func bad(_ words: String) -> [LoopbackStep] {
        box.state.withLock { $0.violations.append(words) }
        return text("400 Bad Request", words)
    }
}
