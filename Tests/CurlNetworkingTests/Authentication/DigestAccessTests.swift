import Foundation
import Testing

@testable import CurlNetworking

@Suite struct DigestAccessTests {
    /// RFC 7616 §3.9.1.
    @Test(
        arguments: [
            ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
            ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        ])
    func answersTheExampleOfTheRFC(algorithm: String, response: String) throws {
        var access = try makeAccess(
            """
            Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=\(algorithm),
             nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
             opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """)
        let answer = try require(
            access.answer(
                user: "Mufasa", password: "Circle of Life", method: "GET",
                target: "/dir/index.html", bodyHash: nil,
                clientNonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"))
        let sent = try #require(HTTPChallenge.parse(answer.authorization).first)
        #expect(sent.scheme == "digest")
        #expect(sent["username"] == "Mufasa")
        #expect(sent["realm"] == "http-auth@example.org")
        #expect(sent["uri"] == "/dir/index.html")
        #expect(sent["algorithm"] == algorithm)
        #expect(sent["nonce"] == "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v")
        #expect(sent["nc"] == "00000001")
        #expect(sent["cnonce"] == "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ")
        #expect(sent["qop"] == "auth")
        #expect(sent["response"] == response)
        #expect(sent["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
        #expect(sent["userhash"] == nil)
        // nc and qop are bare words (§3.4).
        #expect(answer.authorization.contains("nc=00000001"))
        #expect(answer.authorization.contains("qop=auth,"))
    }

    /// RFC 7616 §3.9.2 with figures made by Python's hashlib: those printed are of another hash
    /// (erratum 4897).
    @Test func hashesTheUserAsInTheExampleOfTheRFC() throws {
        var access = try makeAccess(
            """
            Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256,
             nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK",
             opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
            """)
        let answer = try require(
            access.answer(
                user: "Jäsøn Doe", password: "Secret, or not?", method: "GET", target: "/doe.json",
                bodyHash: nil, clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm"))
        let sent = try #require(HTTPChallenge.parse(answer.authorization).first)
        #expect(
            sent["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(
            sent["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
        #expect(sent["userhash"] == "true")
    }

    /// RFC 2617 §3.5 (no algorithm named), and RFC 2069's way without qop.
    @Test(
        arguments: [
            (", qop=\"auth,auth-int\"", "6629fae49393a05397450978507c4ef1"),
            ("", "670fd8c2df070c60b045671b8b24ff02"),
        ])
    func answersOlderServers(qop: String, response: String) throws {
        var access = try makeAccess(
            "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\""
                + qop)
        let answer = try require(
            access.answer(
                user: "Mufasa", password: "Circle Of Life", method: "GET",
                target: "/dir/index.html", bodyHash: nil, clientNonce: "0a4f113b"))
        let sent = try #require(HTTPChallenge.parse(answer.authorization).first)
        #expect(sent["response"] == response)
        #expect(sent["algorithm"] == nil)
        #expect((sent["nc"] == nil) == qop.isEmpty)
        #expect((sent["cnonce"] == nil) == qop.isEmpty)
    }

    /// Against the definition in §3.4.2 spelled out, over two requests.
    @Test(arguments: ["MD5-sess", "SHA-256-sess", "sha-256-SESS"])
    func hashesTheFirstNoncesIntoASession(algorithm: String) throws {
        var access = try makeAccess("Digest realm=r, nonce=n1, qop=auth, algorithm=\(algorithm)")
        let hash = access.offer.algorithm
        let h = { (text: String) in try #require(hash.hexHash(text)) }
        let secret = try h(try h("u:r:p") + ":n1:c1")
        for (number, nonce) in [(1, "n1"), (2, "n1"), (1, "n2")] {
            if nonce != access.nonce { access.take(nextNonce: nonce) }
            let answer = try require(
                access.answer(
                    user: "u", password: "p", method: "PUT", target: "/x", bodyHash: nil,
                    clientNonce: number == 1 && nonce == "n1" ? "c1" : "other"))
            let expected = try h("\(secret):\(nonce):0000000\(number):c1:auth:" + (try h("PUT:/x")))
            let sent = try #require(HTTPChallenge.parse(answer.authorization).first)
            #expect(sent["response"] == expected)
            #expect(sent["nc"] == "0000000\(number)")
            #expect(sent["algorithm"] == algorithm)
        }
    }

    @Test func coversTheBodyWhenNothingElseIsOffered() throws {
        var access = try makeAccess("Digest realm=r, nonce=n, qop=auth-int, algorithm=SHA-256")
        #expect(access.offer.protection == .body)
        let h = { (text: String) in try #require(DigestAlgorithm.sha256.hexHash(text)) }
        let body = try h("the body")
        let answer = try require(
            access.answer(
                user: "u", password: "p", method: "POST", target: "/", bodyHash: body,
                clientNonce: "c"))
        let expected = try h(
            (try h("u:r:p")) + ":n:00000001:c:auth-int:" + (try h("POST:/:" + body)))
        #expect(HTTPChallenge.parse(answer.authorization).first?["response"] == expected)
        #expect(answer.expectedServerDigest == nil)
    }

    @Test(
        arguments: [
            ("", "plain", "username=\"plain\""), ("", "gr\"ün", "username=\"gr\\\"ün\""),
            (", charset=UTF-8", "grün 1", "username*=UTF-8''gr%C3%BCn%201"),
            (", charset=UTF-8", "plain", "username=\"plain\""),
        ])
    func writesNames(charset: String, user: String, expected: String) throws {
        var access = try makeAccess("Digest realm=r, nonce=n, qop=auth" + charset)
        let answer = try require(
            access.answer(
                user: user, password: "p", method: "GET", target: "/", bodyHash: nil,
                clientNonce: "c"))
        #expect(answer.authorization.hasPrefix("Digest " + expected + ","))
    }

    @Test func countsEachUseOfANonce() throws {
        var access = try makeAccess("Digest realm=r, nonce=n, qop=auth")
        var counts: [String] = []
        for round in 0..<18 {
            if round == 17 { access.take(nextNonce: "n2") }
            let answer = try require(
                access.answer(
                    user: "u", password: "p", method: "GET", target: "/", bodyHash: nil,
                    clientNonce: "c"))
            counts.append(try #require(HTTPChallenge.parse(answer.authorization).first?["nc"]))
        }
        #expect(counts[8...9] == ["00000009", "0000000a"])
        #expect(counts[16...] == ["00000011", "00000001"])
    }

    @Test(
        arguments: [
            "Digest realm=r", "Digest nonce=n", "Digest realm=r, nonce=n, algorithm=SHA-512",
            "Digest realm=r, nonce=n, qop=token", "Basic realm=r, nonce=n",
        ])
    func leavesWhatItCannotAnswer(field: String) throws {
        let challenge = try #require(HTTPChallenge.parse(field).first)
        #expect(DigestOffer(challenge) == nil)
    }

    @Test func clientNoncesAreNew() {
        let nonces = Set((0..<100).map { _ in DigestAccess.makeClientNonce() })
        #expect(nonces.count == 100)
        #expect(nonces.allSatisfy { $0.utf8.count == 32 })
    }

    @Test func hashesPieceByPiece() throws {
        let bytes = [UInt8](repeating: 7, count: 1000)
        guard var stream = DigestStream(.sha256) else {
            Issue.record("no SHA-256")
            return
        }
        for start in stride(from: 0, to: 1000, by: 100) {
            bytes[start..<start + 100].withUnsafeBytes { stream.append($0) }
        }
        #expect(stream.finish() == DigestAlgorithm.sha256.hash(bytes))
    }

    /// The macro takes no mutating call.
    private func require<Value>(_ value: Value?) throws -> Value {
        try #require(value)
    }

    private func makeAccess(_ field: String) throws -> DigestAccess {
        let challenge = try #require(
            HTTPChallenge.parse(field.replacing("\n", with: "")).first)
        return DigestAccess(try #require(DigestOffer(challenge)))
    }
}

@Suite struct BasicAccessTests {
    /// RFC 7617 §2 and §2.1.
    @Test(
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("test", "123£", "Basic dGVzdDoxMjPCow=="), ("", "", "Basic Og=="),
            ("u", "p:q", "Basic dTpwOnE="),
        ])
    func answersTheExamplesOfTheRFC(user: String, password: String, expected: String) {
        #expect(BasicAccess.authorization(user: user, password: password) == expected)
    }

    @Test(arguments: [("a:b", "p"), ("u\n", "p"), ("u", "p\u{0}"), ("u", "\u{7F}")])
    func refusesWhatBasicCannotCarry(user: String, password: String) {
        #expect(BasicAccess.authorization(user: user, password: password) == nil)
    }

    @Test(arguments: [("/a/b", "/a/"), ("/a/b/", "/a/b/"), ("/", "/"), ("", "/"), ("/x", "/")])
    func isGoodBelowItsFolder(path: String, scope: String) {
        #expect(BasicAccess.scope(of: path) == scope)
    }
}
