import ClubStore
import CurlNetworking
import ByteClubPictures
import Testing

@testable import ClubAccess

@Suite struct ErrorMessageTests {
    /// Whatever a server says, a sentence stays one.
    @Test func aServersWordsAreBounded() {
        func text(_ words: String) -> String {
            var error = StoreError(.refused, during: .put, at: nil)
            error.userMessage = words
            return ErrorMessage(error).text
        }
        #expect(text("No room\n\tfor \u{1B}[2Jyou.\u{85}").contains("“No room for [2Jyou”."))
        let long = text(String(repeating: "word ", count: 100_000))
        #expect(long.count < 260)
        #expect(long.hasSuffix("…”."))
        #expect(text("No room.") == text("No room"))
        // A single character, as Swift counts.
        #expect(text("a" + String(repeating: "\u{301}", count: 100_000)).utf8.count < 2000)
        for page in ["<!DOCTYPE html><p>Sorry", "\n <html><body>", "<?xml version='1.0'?><error/>"]
        {
            #expect(text(page) == text(""))
        }
        let account = Account(
            displayName: String(repeating: "x", count: 5000), usedBytes: 0, allocatedBytes: nil)
        #expect(account.displayName.count == 200)
    }

    @Test func saysThatTheNetworkIsMetered() {
        let error = StoreError(.offline, during: .put, underlying: URLError(.dataNotAllowed))
        #expect(ErrorMessage(error, club: .remote).text.contains("metered"))
        let other = StoreError(.offline, during: .put, underlying: URLError(.timedOut))
        #expect(!ErrorMessage(other, club: .remote).text.contains("metered"))
    }

    /// A proxy that is down, or refuses, is not the club's server.
    @Test(arguments: [
        URLError.Code.cannotFindHost, .cannotConnectToHost, .userAuthenticationRequired,
    ])
    func namesTheProxyThatFailed(code: URLError.Code) {
        let reason = URLError(
            code, userInfo: ["NSDebugDescription": "the proxy p.test:3128 cannot be reached"])
        let words =
            "cannot be reached: the proxy p.test:3128 cannot be reached. Check the proxy (https"
        let error = StoreError(.offline, during: .list, underlying: reason)
        #expect(ErrorMessage(error, club: .remote).text.contains(words))
        let signIn = OAuthError(.store(.offline), underlying: reason)
        #expect(SignInError.signIn(signIn).description.contains(words))
    }

    /// What a person cannot be expected to know, and what nobody wants to read.
    private static let jargon = [
        "HTTP", "JSON", "URL", "API", "token", "socket", "cursor", "revision", "status", "code",
        "errno", "null", "nil", "400", "401", "403", "404", "409", "429", "500", "503", "507",
        "StoreError",
        "optional", "exception", "unknown", "invalid",
    ]

    /// Every code, during every operation, on both kinds of club.
    @Test(arguments: StoreError.Code.allCases)
    func everyCodeHasATitleAndASentenceForPeople(_ code: StoreError.Code) throws {
        for operation in StoreError.Operation.allCases {
            for club in [ErrorMessage.ClubKind.embedded, .remote] {
                let error = StoreError(
                    code, during: operation, at: try RemotePath(validating: "/sea.jpg"),
                    detail: operation == .naming ? "sea.jpg" : "409 path/conflict/file/..")
                let words = ErrorMessage(error, club: club)
                #expect((3...60).contains(words.title.count), "\(words.title)")
                #expect(!words.title.hasSuffix("."))
                #expect((20...300).contains(words.text.count), "\(words.text)")
                #expect(words.text.hasSuffix("."))
                #expect(words.text.first?.isLowercase == false)
                // What the server says of a bad request is shown as it is, for the report.
                if code == .badRequest { continue }
                for word in Self.jargon {
                    #expect(!(words.title + " " + words.text).contains(word), "\(words)")
                }
                #expect(!words.text.contains("path/conflict"))
            }
        }
    }

    @Test func aPictureThatCannotBeShownSaysWhy() throws {
        let reason = PictureError(.crashed, operation: "show sea.jpg")
        let error = StoreError(
            .noThumbnail, during: .thumbnail, at: try RemotePath(validating: "/sea.jpg"),
            underlying: reason)
        let words = ErrorMessage(error, club: .remote).text
        #expect(words.contains("could not be shown because \(reason.reason)."))
    }

    @Test(arguments: [
        EmbeddedClubError.noRuntimeFolder("/run/x is not a folder of yours."),
        .programNotStarted(reason: "Permission denied"),
        .serverNotReady(log: "/home/ada/.local/state/byteclub/serve.log"),
        .folderServedElsewhere(folder: "/home/ada/club"),
        .tooManyOpenFiles("Too many open files. Raise the limit (ulimit -n)."),
    ])
    func aClubThatCannotBeOpenedSaysWhy(_ reason: EmbeddedClubError) {
        let error = StoreError(
            .serverUnavailable(retryAfter: nil), during: .connect, underlying: reason)
        let words = ErrorMessage(error)
        #expect(words.title == "Could not open the club")
        #expect(words.text.hasSuffix("."))
        #expect(words.text.count > 20)
    }

    @Test(arguments: [
        (Duration.seconds(1), "in a second"), (.seconds(20), "in 20 seconds"),
        (.seconds(300), "in 5 minutes"), (.seconds(7200), "in 2 hours"),
    ])
    func tellsWhenToComeBack(_ wait: Duration, _ expected: String) {
        let error = StoreError(.rateLimited(retryAfter: wait), during: .list)
        #expect(ErrorMessage(error, club: .remote).text.contains(expected))
    }

    /// One key was accepted, and another one is shown: that must not pass for a certificate like any other.
    @Test func saysThatTheServersKeyHasChanged() throws {
        let key = try #require(ServerKey("sha256//" + String(repeating: "a", count: 42) + "A="))
        var error = StoreError(.untrusted, during: .list)
        error.untrustedServer = UntrustedServer(
            host: "nas.example", reason: "self-signed certificate", key: key, differsFromPin: true)
        let words = ErrorMessage(error, club: .remote)
        #expect(words.title == "The server's key has changed")
        #expect(words.text.hasPrefix("nas.example shows another key than the one"))
        #expect(words.text.contains("may be intercepted"))
        error.untrustedServer = UntrustedServer(
            host: "nas.example", reason: "self-signed certificate", key: key)
        #expect(ErrorMessage(error, club: .remote).title == "Could not list the club")
    }

    @Test func distinguishesAMissingSignInFromARefusedOne() {
        let missing = ErrorMessage(.notSignedIn, club: .remote)
        #expect(missing.text == "You are not signed in to this club. Sign in again.")
        let refused = ErrorMessage(StoreError(.unauthorized, during: .list), club: .remote)
        #expect(refused.text == "The club no longer accepts this sign-in. Sign in again.")
    }

    @Test func namesTheFile() throws {
        let error = StoreError(
            .notFound, during: .fetch, at: try RemotePath(validating: "/a/Plan.txt"))
        #expect(ErrorMessage(error).text.contains("“Plan.txt”"))
    }

    @Test func namesTheNameThatCannotBeKept() throws {
        do {
            _ = try RemotePath(validating: "/photos").appending(newName: "a/b")
            Issue.record("was allowed")
        } catch {
            #expect(ErrorMessage(error).text.contains("“a/b”"))
        }
    }
}
