import FoundationEssentials

@testable import CurlNetworking

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang.
package enum AuthenticationFuzzing {
    /// A `WWW-Authenticate`, through a whole conversation with a delegate that never gives up.
    package static func challenges(_ bytes: UnsafeRawBufferPointer) {
        guard let url = URL(string: "https://example.com/a/b?c") else { return }
        let request = ChallengedRequest(url, method: "GET")
        var head = ResponseHead(status: 401)
        head.headers["WWW-Authenticate"] = String(decoding: bytes, as: UTF8.self)
        head.headers["Authentication-Info"] = head.headers["WWW-Authenticate"]
        var cache = AuthenticationCache()
        var state = AuthenticationState(for: url, clientNonce: { "c" })
        let credential = URLCredential(user: "ü\"\\", password: "p", persistence: .forSession)
        var rounds = 0
        while case .ask = state.take(head, to: request, cache: &cache, storage: nil) {
            _ = state.answer(.useCredential, credential)
            for field in state.fields(for: request, own: HTTPHeaderFields(), cache: &cache) {
                precondition(HTTPChallenge.parse(field.value).count == 1)
            }
            rounds += 1
            precondition(rounds <= AuthenticationState.maximumQuestions)
        }
        head.status = 200
        _ = state.take(head, to: request, cache: &cache, storage: nil)
    }

    package static func certificate(_ bytes: UnsafeRawBufferPointer) {
        guard let certificate = ServerCertificate(derEncoded: Data(bytes)) else { return }
        _ = certificate.isFor(host: "example.com")
        _ = certificate.isFor(host: "127.0.0.1")
    }

    /// The inside of a file of credentials, as if it had come through its checksum.
    package static func credentialFile(_ bytes: UnsafeRawBufferPointer) {
        _ = CredentialFile.parse(Data(bytes))
        if let sealed = try? ChecksummedRecord.seal(Data(bytes), as: .credentials) {
            _ = CredentialFile.parse(sealed)
        }
    }
}
