import Foundation
import Synchronization
import TestSupport

@testable import CurlNetworking

/// A loopback server behind Basic or Digest. It checks proofs by the letter of RFC 7616 §3.4.
final class GuardedServer: Sendable {
    enum Lock: Sendable {
        case basic
        /// - Parameter uses: How many answers a nonce is good for.
        case digest(String, protection: String = "auth", uses: Int = .max, nextNonce: Bool = false)
    }

    let server: LoopbackServer
    private let state: State

    init(
        _ lock: Lock, user: String = "ada", password: String = "pw",
        then answer: @escaping @Sendable (LoopbackRequest) -> String = { _ in
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n%\r\nin"
        }
    ) throws {
        let state = State(lock, user, password)
        self.state = state
        server = try LoopbackServer { request in
            switch state.check(request) {
            case .refuse(let field):
                [
                    .send(
                        "HTTP/1.1 401 No\r\nWWW-Authenticate: \(field)\r\nContent-Length: 3\r\n\r\nout"
                    )
                ]
            case .admit(let info):
                [
                    .send(
                        answer(request).replacing(
                            "%", with: info.map { "Authentication-Info: \($0)\r\n" } ?? ""))
                ]
            }
        }
    }

    var url: URL { server.url("/room/a?b=c") }
    func url(_ path: String) -> URL { server.url(path) }

    /// For each request: `-` without a proof, else `ok`, or what is wrong with it.
    var log: [String] { state.record.withLock { $0.log } }

    private final class State: Sendable {
        struct Record: Sendable {
            var log: [String] = []
            var nonces: [String: Int] = [:]
            var counts: Set<String> = []
        }

        enum Verdict {
            case admit(info: String?)
            case refuse(String)
        }

        let record = Mutex(Record())
        private let lock: Lock
        private let user: String
        private let password: String

        init(_ lock: Lock, _ user: String, _ password: String) {
            self.lock = lock
            self.user = user
            self.password = password
        }

        func check(_ request: LoopbackRequest) -> Verdict {
            record.withLock { record in
                guard let proof = request["Authorization"] else {
                    record.log.append("-")
                    return .refuse(challenge(&record, isStale: false))
                }
                let fault = fault(of: proof, request, &record)
                record.log.append(fault ?? "ok")
                guard fault == nil else {
                    return .refuse(challenge(&record, isStale: fault == "stale"))
                }
                guard case .digest(_, _, _, true) = lock else { return .admit(info: nil) }
                return .admit(info: "nextnonce=\"\(makeNonce(&record))\"")
            }
        }

        private func makeNonce(_ record: inout Record) -> String {
            let nonce = "nonce\(record.nonces.count)"
            record.nonces[nonce] = 0
            return nonce
        }

        private func challenge(_ record: inout Record, isStale: Bool) -> String {
            switch lock {
            case .basic: return "Basic realm=\"house\""
            case .digest(let algorithm, let protection, _, _):
                let nonce = makeNonce(&record)
                return "Digest realm=\"house\", nonce=\"\(nonce)\", opaque=\"o\", "
                    + "algorithm=\(algorithm), qop=\"\(protection)\""
                    + (isStale ? ", stale=true" : "")
            }
        }

        private func fault(
            of proof: String, _ request: LoopbackRequest, _ record: inout Record
        ) -> String? {
            guard case .digest(let name, let protection, let uses, _) = lock else {
                let expected = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
                return proof == expected ? nil : "wrong"
            }
            guard let given = HTTPChallenge.parse(proof).first, given.scheme == "digest",
                let nonce = given["nonce"], let client = given["cnonce"], let count = given["nc"],
                let uri = given["uri"], let response = given["response"]
            else { return "malformed" }
            let words = request.head.split(separator: " ")
            guard uri == words[1] else { return "uri" }
            guard given["opaque"] == "o", given["qop"] == protection, given["realm"] == "house",
                given["username"] == user, given["algorithm"] == name
            else { return "parameters" }
            let bare = name.replacing("-sess", with: "")
            guard let kind = DigestAlgorithm.allCases.first(where: { $0.name == bare }) else {
                return "algorithm"
            }
            var secret = kind.hexHash("\(user):house:\(password)") ?? ""
            if name != bare { secret = kind.hexHash("\(secret):\(nonce):\(client)") ?? "" }
            let body =
                protection == "auth-int" ? ":" + (kind.hash(request.body)?.hex ?? "") : ""
            let second = kind.hexHash("\(words[0]):\(uri)\(body)") ?? ""
            let expected = kind.hexHash(
                "\(secret):\(nonce):\(count):\(client):\(protection):\(second)")
            guard response == expected else { return "wrong" }
            guard let used = record.nonces[nonce] else { return "unknown nonce" }
            guard used < uses else { return "stale" }
            guard record.counts.insert(nonce + count).inserted else { return "replay" }
            record.nonces[nonce] = used + 1
            return nil
        }
    }
}
