import ClubStore
import Foundation
import Testing

@testable import ClubAccess

/// What a WebDAV server wants instead of a name and a password, or of this address.
@Suite struct WebDAVSignInErrorTests {
    @Test(arguments: [
        ("Bearer", ["Bearer"]), ("Basic realm=\"club\"", ["Basic"]),
        ("Bearer realm=\"a, Basic b\", error=\"x\"", ["Bearer"]),
        ("Bearer realm = \"a\", scope=\"b\\\", Digest c\"", ["Bearer"]),
        ("Negotiate, NTLM, negotiate abc==, Bearer", ["Negotiate", "NTLM", "Bearer"]),
        ("Digest realm=\"r\", nonce=\"n\", qop=\"auth\", Basic realm=\"r\"", ["Digest", "Basic"]),
        ("", []), (" , =", []),
    ])
    func readsTheSchemesOfAField(field: String, schemes: [String]) {
        #expect(AuthenticationSchemes.read(field) == schemes)
    }

    @Test func namesTheSchemesThatAServerAsksFor() {
        #expect(!AuthenticationSchemes.takePasswords(["Bearer", "Negotiate"]))
        #expect(AuthenticationSchemes.takePasswords(["Bearer", "digest"]))
        let error = SignInError.passwordsUnsupported(schemes: ["Bearer"])
        #expect(
            error.description
                == "This server does not take names and passwords (it asks for Bearer): sign in with a token."
        )
        // A token helps only where one is taken.
        let other = SignInError.passwordsUnsupported(schemes: ["Negotiate"]).description
        #expect(other.contains("(it asks for Negotiate)"))
        #expect(!other.contains("sign in with a token"))
    }

    private func untrusted(
        differsFromPin: Bool = false, _ validity: UntrustedServer.Validity = .current
    ) throws -> String {
        let key = try #require(ServerKey("sha256//" + String(repeating: "a", count: 42) + "A="))
        let server = UntrustedServer(
            host: "nas.example", reason: "self-signed certificate", key: key,
            differsFromPin: differsFromPin, validity: validity)
        return SignInError.untrusted(server).description
    }

    /// A command to paste would trust a server in between.
    @Test func offersNoKeyInPlaceOfThePinnedOne() throws {
        let changed = try untrusted(differsFromPin: true)
        #expect(changed.hasPrefix("The server's key has changed. nas.example shows another key"))
        #expect(changed.contains("may be intercepted"))
        #expect(!changed.contains("--pin sha256//"))
        #expect(try untrusted().contains("--pin sha256//"))
    }

    @Test func aCertificateOfAnotherTimeIsOneForTheClock() throws {
        #expect(try !untrusted().contains("clock"))
        #expect(try untrusted(.notYet).contains("not valid yet: check the clock"))
        #expect(try untrusted(.expired).contains("administrator to renew it"))
    }

    @Test(
        arguments: [
            ("302 to https://login.example/dav?x=1", "https://login.example/dav"),
            ("301 to https://login.example:8443/a%20b", "https://login.example:8443/a%20b"),
            ("308 to //münchen.de/dav", "https://xn--mnchen-3ya.de/dav"),
            ("307 to /login", "https://nas.example/login"),
            ("302 to https://u:p@[::1]:8443/dav#f", "https://[::1]:8443/dav"),
            // Others could read the password there.
            ("302 to http://nas.example/club", nil),
            ("302 to https://a b/", nil), ("redirected too often", nil), ("404 to PROPFIND: ", nil),
        ] as [(String, String?)])
    func saysWhereTheServerSendsOn(detail: String, target: String?) throws {
        let url = try #require(URL(string: "https://nas.example/club"))
        let error = StoreError(.badAnswer, during: .list, detail: detail)
        #expect(SignInError.redirectTarget(of: error, at: url) == target)
        let club = ClubSettings.WebDAV(url: url, signIn: .password(user: "ann"))
        let sentence = SignInError.webdav(error, club).description
        let beginning = target.map { "The server sends you on to \($0); sign in there" }
        #expect(sentence.hasPrefix(beginning ?? "No WebDAV folder is at this address"))
    }
}
