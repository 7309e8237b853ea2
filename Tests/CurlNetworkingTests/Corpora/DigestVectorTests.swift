import Foundation
import Testing

@testable import CurlNetworking

/// The figures of RFC 7616 §3.9.1 with each algorithm, with and without `-sess`, for each kind of protection.
/// Two of them are the RFC's own; the others were made by Python's hashlib from §3.4. With `auth-int` it is a PUT
/// of `the body`.
@Suite struct DigestVectorTests {
    private let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    @Test(
        arguments: [
            ("MD5", "", "7b2cc3b30e75b4777ea31027084363fd"),
            ("MD5", "auth", "8ca523f5e9506fed4657c9700eebdbec"),
            ("MD5", "auth-int", "067882a63fa0f1c0eee534a599d10347"),
            ("MD5-sess", "", "37a7f42db2090a3fcac4e26e747d4fc8"),
            ("MD5-sess", "auth", "e783283f46242139c486a698fec7211d"),
            ("MD5-sess", "auth-int", "0a3138878980131985df23089e44a1b0"),
            ("SHA-256", "", "a1306b0595a6c7fe96c448631fb5cfbd5107bd1fe1da729d978dd7446b812363"),
            ("SHA-256", "auth", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
            (
                "SHA-256", "auth-int",
                "e26647d50ebd38d13606abf81ada4e2175680c839a7aaabc5169426e59e28cbe"
            ),
            (
                "SHA-256-sess", "",
                "30bc0742357e535c85094121d22cf826b794be0667e19537beb7b28f2251c274"
            ),
            (
                "SHA-256-sess", "auth",
                "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7"
            ),
            (
                "SHA-256-sess", "auth-int",
                "76050d4f01f3d87a10a207a2a0bb18fe4e878cb07df90a3acf36e2f32d97ad89"
            ),
            ("SHA-512-256", "", "93e9122020ea0624d2ca801426d5bfbeb93d10ff4cc24cb410af3920fa4730e7"),
            (
                "SHA-512-256", "auth",
                "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0"
            ),
            (
                "SHA-512-256", "auth-int",
                "40789233ca54f5292ccc380ed947b0d1baf0edb23631a081dfcbf85b2fbfcb97"
            ),
            (
                "SHA-512-256-sess", "",
                "7c70dbd9f483cbccedbd3e92ac246a9f2b712bed77914b52c3ae2254fdb2edba"
            ),
            (
                "SHA-512-256-sess", "auth",
                "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e"
            ),
            (
                "SHA-512-256-sess", "auth-int",
                "0c7a9c9bae28a06c30ad42d3130c7591a3db2b49e542fafaef4e95152e9b0ed7"
            ),
        ])
    func answersTheExampleInEachWay(algorithm: String, protection: String, response: String) throws
    {
        let qop = protection.isEmpty ? "" : ", qop=\"\(protection)\""
        let field =
            "Digest realm=\"http-auth@example.org\", algorithm=\(algorithm), nonce=\"\(nonce)\""
        let challenge = try #require(HTTPChallenge.parse(field + qop).first)
        var access = DigestAccess(try #require(DigestOffer(challenge)))
        let coversBody = protection == "auth-int"
        let made = access.answer(
            user: "Mufasa", password: "Circle of Life", method: coversBody ? "PUT" : "GET",
            target: "/dir/index.html",
            bodyHash: coversBody ? access.offer.algorithm.hexHash("the body") : nil,
            clientNonce: clientNonce)
        let answer = try #require(made)
        let sent = try #require(HTTPChallenge.parse(answer.authorization).first)
        #expect(sent["response"] == response)
        #expect(sent["algorithm"] == algorithm)
        #expect((sent["qop"] ?? "") == protection)
    }
}
