import Testing

@testable import CurlNetworking

@Suite struct HTTPChallengeTests {
    @Test(
        arguments: [
            ("Basic realm=\"simple\"", "basic realm=simple"),
            ("BASIC Realm=simple", "basic realm=simple"),
            (
                "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                "newauth realm=apps type=1 title=Login to \"apps\" | basic realm=simple"
            ),
            ("Basic , Basic realm=\"x\"", "basic | basic realm=x"),
            (",, ,Basic realm=\"a,b=c\",,", "basic realm=a,b=c"),
            ("Negotiate", "negotiate"),
            ("Negotiate abc+/==, Basic realm=x", "negotiate <abc+/==> | basic realm=x"),
            ("Digest realm = \"a\" , nonce\t=\t\"n\"", "digest realm=a nonce=n"),
            ("Digest nonce=abc==, realm=x", "digest nonce=abc== realm=x"),
            ("Basic realm=\"one\", realm=\"two\"", "basic realm=one"),
            ("Basic realm=\"\\\\ \\a\"", "basic realm=\\ a"),
            ("Basic realm=\"grün 🌿\"", "basic realm=grün 🌿"),
            ("Bearer realm=\"\"", "bearer realm="),
            ("A b=c d=e, f=g", "a b=c f=g"),
        ])
    func reads(field: String, expected: String) {
        #expect(render(HTTPChallenge.parse(field)) == expected)
    }

    @Test(
        arguments: [
            "", ",", "   ", "=", "\"", "\"a", "realm=\"x\"", "Basic realm=\"never closed", "{}",
            "\\", "Basic=", "a/b c=d", "\u{0}", "Basic\u{0}realm=x", "🌿",
        ])
    func survivesNonsense(field: String) {
        for challenge in HTTPChallenge.parse(field) {
            #expect(challenge["realm"] == nil)
        }
    }

    @Test func goesOnBehindNonsense() {
        #expect(
            render(HTTPChallenge.parse("{}, \"a,b\" c, Basic realm=\"x\" junk, charset=\"UTF-8\""))
                == "basic realm=x charset=UTF-8")
    }

    @Test func isBounded() {
        let many = String(repeating: "A b=c, ", count: 1000)
        #expect(HTTPChallenge.parse(many).count == HTTPChallenge.mostChallenges)
        let wide = "A " + (0..<1000).map { "p\($0)=v" }.joined(separator: ", ")
        #expect(HTTPChallenge.parse(wide).first?.parameters.count == HTTPChallenge.mostParameters)
        let huge = "A b=\"" + String(repeating: "x", count: HTTPChallenge.largestByteCount) + "\""
        #expect(HTTPChallenge.parse(huge).isEmpty)
    }

    /// Every prefix, and every byte made another: what a fuzzer does, in small.
    @Test func anyBytesAreSurvived() {
        let field = Array(
            "Digest realm=\"a \\\" b\", nonce=\"n\", qop=\"auth,auth-int\", Basic realm=x, N ab=="
                .utf8)
        for end in field.indices {
            _ = HTTPChallenge.parse(Array(field[..<end]))
            for byte in [UInt8(0), 0x22, 0x2C, 0x3D, 0x5C, 0x20, 0x80, 0xFF] {
                var changed = field
                changed[end] = byte
                #expect(HTTPChallenge.parse(changed).count <= field.count)
            }
        }
    }

    @Test func readsAuthenticationInfo() {
        let parameters = HTTPChallenge.parseParameters(
            "nextnonce=\"n, 2\", rspauth=\"ab\",, qop=auth, x")
        #expect(
            parameters.map { "\($0.name)=\($0.value)" } == [
                "nextnonce=n, 2", "rspauth=ab", "qop=auth",
            ])
    }

    @Test func quotesWhatItSends() {
        #expect("a \"b\" \\ c".quoted == "\"a \\\"b\\\" \\\\ c\"")
        #expect(HTTPChallenge.parse("X y=" + "a \"b\" \\ c".quoted).first?["y"] == "a \"b\" \\ c")
    }

    private func render(_ challenges: [HTTPChallenge]) -> String {
        challenges.map { challenge in
            ([challenge.scheme] + (challenge.token68.map { ["<\($0)>"] } ?? [])
                + challenge.parameters.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        }.joined(separator: " | ")
    }
}
