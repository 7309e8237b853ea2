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
    }

    @Test(
        arguments: [
            ("302 to https://login.example/dav?x=1", "login.example/dav"),
            ("301 to https://login.example:8443/a%20b", "login.example:8443/a%20b"),
            ("308 to //münchen.de/dav", "xn--mnchen-3ya.de/dav"),
            ("307 to /login", "nas.example/login"),
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
