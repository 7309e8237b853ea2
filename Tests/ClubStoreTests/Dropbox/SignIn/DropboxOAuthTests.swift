import DropboxAPI
import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Signing in to Dropbox: the authorization page, the token request, and their errors.
@Suite struct DropboxOAuthTests {
    private let dropbox: StandInDropbox
    private let app: DropboxApp

    init() throws {
        dropbox = try StandInDropbox()
        app = DropboxApp(key: dropbox.appKey, gateway: URL(string: dropbox.base))
    }

    @Test func asksDropboxItselfUnlessThereIsAGateway() {
        let app = DropboxApp(key: "k&y")
        let url = DropboxOAuth(app: app).authorizationURL.absoluteString
        #expect(
            url.hasPrefix(
                "https://www.dropbox.com/oauth2/authorize?client_id=k%26y&response_type=code&"))
        #expect(app.tokenEndpoint.absoluteString == "https://api.dropboxapi.com/oauth2/token")
        #expect(!url.contains("redirect_uri"))
        #expect(!url.contains("state="))
    }

    @Test func aCodeFromThePageBecomesTokens() async throws {
        let signIn = DropboxOAuth(app: app)
        let consent = try #require(dropbox.consent(to: signIn.authorizationURL.absoluteString))
        #expect(consent.redirect == nil)
        let (tokens, missing) = try await signIn.exchange(code: "  \(consent.code)\n")
        #expect(dropbox.secrets.contains(tokens.accessToken))
        #expect(tokens.refreshToken != nil)
        #expect(missing.isEmpty)
        let expiry = try #require(tokens.expiry)
        #expect(abs(expiry.timeIntervalSinceNow - 14_400) < 600)
        #expect(dropbox.violations.isEmpty)
    }

    @Test func aCodeFromARedirectBecomesTokens() async throws {
        let redirect = try #require(URL(string: "http://127.0.0.1:4711/"))
        let signIn = DropboxOAuth(app: app, redirect: redirect)
        let consent = try #require(dropbox.consent(to: signIn.authorizationURL.absoluteString))
        #expect(consent.redirect == redirect)
        let state = try #require(consent.state)
        let code = try signIn.code(fromRedirect: "state=\(state)&code=\(consent.code)")
        _ = try await signIn.exchange(code: code)
        #expect(dropbox.violations.isEmpty)
    }

    @Test func theVerifierIsNeverTheSame() {
        let urls = (0..<8).map { _ in DropboxOAuth(app: app).authorizationURL.absoluteString }
        #expect(Set(urls).count == 8)
    }

    @Test(arguments: [
        ("code=c", OAuthError.Code.wrongState), ("code=c&state=", .wrongState),
        ("code=c&state=other", .wrongState), ("", .wrongState),
        ("error=access_denied&state=other", .wrongState),
        ("state=S", .noCode), ("state=S&code=", .noCode), ("state=S&code=%zz", .noCode),
        ("state=S&error=access_denied&error_description=no", .denied),
        ("state=S&error=invalid_scope", .appRefused),
    ])
    func aWrongAnswerOfTheBrowserIsRefused(query: String, code: OAuthError.Code) throws {
        let signIn = DropboxOAuth(app: app, redirect: URL(string: "http://127.0.0.1:1/"))
        let state = try #require(
            URLComponents(string: signIn.authorizationURL.absoluteString)?.queryItems?
                .first { $0.name == "state" }?.value)
        let error = #expect(throws: OAuthError.self) {
            try signIn.code(fromRedirect: query.replacing("state=S", with: "state=\(state)"))
        }
        #expect(error?.code == code)
    }

    @Test func aCodeIsGoodOnceAndForItsOwnSignInOnly() async throws {
        let signIn = DropboxOAuth(app: app)
        let consent = try #require(dropbox.consent(to: signIn.authorizationURL.absoluteString))
        _ = try await signIn.exchange(code: consent.code)
        for attempt in [signIn, DropboxOAuth(app: app)] {
            let code =
                attempt.authorizationURL == signIn.authorizationURL
                ? consent.code
                : try #require(dropbox.consent(to: signIn.authorizationURL.absoluteString)).code
            let error = await #expect(throws: OAuthError.self) {
                try await attempt.exchange(code: code)
            }
            #expect(error?.code == .codeRefused)
        }
        #expect(dropbox.violations.isEmpty)
    }

    static let answers: [([LoopbackStep], OAuthError.Code)] = [
        (.html, .badAnswer), (.json("{"), .badAnswer), (.json("{}"), .badAnswer),
        (.json(#"{"access_token":"","token_type":"bearer"}"#), .badAnswer),
        (.json(#"{"access_token":"a\r\nX: y","token_type":"bearer"}"#), .badAnswer),
        (.json(#"{"access_token":"a","token_type":"mac"}"#), .badAnswer),
        ([.answer("302 Found", ["Location: http://127.0.0.1:1/"], body: "")], .badAnswer),
        ([.answer("400 Bad Request", body: "plain words")], .badAnswer),
        (.json(#"{"error":"invalid_client"}"#, status: "401 Unauthorized"), .appRefused),
        (.json(#"{"error":"server_error"}"#, status: "400 Bad Request"), .store(.serverError)),
        ([.close], .store(.offline)),
    ]

    @Test(arguments: answers.indices)
    func aWrongAnswerOfTheServerIsRefused(index: Int) async throws {
        let (answer, code) = Self.answers[index]
        dropbox.scriptTokenAnswers([answer])
        let error = await #expect(throws: OAuthError.self) {
            try await DropboxOAuth(app: app).exchange(code: "c")
        }
        #expect(error?.code == code)
        #expect(dropbox.routes == ["oauth2/token"])
    }

    @Test func emptyCodesAreNotSent() async throws {
        let error = await #expect(throws: OAuthError.self) {
            try await DropboxOAuth(app: app).exchange(code: " \n")
        }
        #expect(error?.code == .noCode)
        #expect(dropbox.requests.isEmpty)
    }

    @Test func tellsWhichPermissionsAreMissing() async throws {
        dropbox.scriptTokenAnswers([
            .json(
                #"{"access_token":"a","token_type":"Bearer","scope":"account_info.read files.metadata.read"}"#
            )
        ])
        let (tokens, missing) = try await DropboxOAuth(app: app).exchange(code: "c")
        #expect(missing == ["files.content.read", "files.content.write"])
        #expect(tokens.expiry == nil)
    }

    @Test func tokensDoNotPrint() {
        let tokens = DropboxTokens(accessToken: "hush", expiry: nil, refreshToken: "hush")
        var dumped = ""
        dump(tokens, to: &dumped)
        for text in ["\(tokens)", String(reflecting: tokens), dumped] {
            #expect(!text.contains("hush"))
        }
    }
}
