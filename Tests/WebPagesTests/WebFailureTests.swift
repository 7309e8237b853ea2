import FoundationEssentials
import ByteClubMessages
import Testing
import WebPages

@testable import CurlNetworking

/// What people read when a page does not come: whole sentences, about the right server, with what to do next.
@Suite struct WebFailureTests {
    private func sentence(
        _ code: CurlNetworking.URLError.Code, failing: String? = nil, _ retry: WebRetry = .key
    ) throws -> String {
        let url = try #require(URL(string: "http://a.org:81/x"))
        let error = CurlNetworking.URLError(code, failingURL: failing.flatMap { URL(string: $0) })
        return WebFailure.sentence(for: error, url: url, retry: retry)
    }

    @Test(arguments: [
        (
            CurlNetworking.URLError.Code.networkConnectionLost,
            "The connection to a.org:81 was lost. To try again, press r."
        ),
        (.timedOut, "a.org:81 did not answer in time. To try again, press r."),
        (
            .notConnectedToInternet,
            "This computer is not connected to a network. To try again, press r."
        ),
        (.cancelled, "Stopped. To try again, press r."),
        (.cannotFindHost, "There is no server called a.org:81. Check the address."),
        (.badURL, "This is not a valid address. Check it."),
    ])
    func saysWholeSentences(code: CurlNetworking.URLError.Code, expected: String) throws {
        #expect(try sentence(code) == expected)
    }

    @Test func everySentenceEndsAndHasNoNumber() throws {
        let codes: [CurlNetworking.URLError.Code] = [
            .cannotConnectToHost, .cannotFindHost, .timedOut, .networkConnectionLost,
            .notConnectedToInternet, .httpTooManyRedirects, .unsupportedURL, .badServerResponse,
            .serverCertificateUntrusted, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid,
            .secureConnectionFailed, .unknown, .dataNotAllowed,
        ]
        for code in codes {
            for retry in [WebRetry.key, .command] {
                let words = try sentence(code, retry)
                #expect(words.hasSuffix("."), "\(words)")
                #expect(!words.contains("-1") && !words.contains(", then"), "\(words)")
            }
        }
    }

    /// Its code is the same as the server's own failure.
    @Test(arguments: [
        CurlNetworking.URLError.Code.cannotFindHost, .cannotConnectToHost,
        .userAuthenticationRequired,
    ])
    func namesTheProxyThatFailed(code: CurlNetworking.URLError.Code) throws {
        let url = try #require(URL(string: "https://a.org/x"))
        let error = CurlNetworking.URLError(
            code, failingURL: url, underlyingText: "the proxy p.test:3128 answered 502")
        #expect(
            WebFailure.sentence(for: error, url: url, retry: .command)
                == "a.org cannot be reached: the proxy p.test:3128 answered 502. Check the proxy "
                + "(https_proxy, http_proxy, all_proxy). To try again, run the command again.")
    }

    /// Nobody has typed https.
    @Test func proposesHTTPWhereHTTPSWasAssumed() throws {
        let url = try #require(URL(string: "https://a.org:81/x"))
        func sentence(_ error: CurlNetworking.URLError, isAssumed: Bool) -> String {
            WebFailure.sentence(
                for: error, url: url, retry: .key, isSchemeAssumed: isAssumed)
        }
        let failed = CurlNetworking.URLError(.secureConnectionFailed, failingURL: url)
        let words = "If it speaks plain http, begin the address with http://."
        #expect(sentence(failed, isAssumed: true).hasSuffix(words))
        #expect(!sentence(failed, isAssumed: false).contains(words))
        // Not of another server, to which that one has redirected.
        let other = CurlNetworking.URLError(
            .secureConnectionFailed, failingURL: URL(string: "https://b.org/"))
        #expect(!sentence(other, isAssumed: true).contains(words))
    }

    /// OpenSSL's number says it only for a certificate that is trusted otherwise.
    @Test(arguments: [62, 18])
    func saysWhenACertificateIsForAnotherHost(verificationResult: Int) throws {
        let certificate = try #require(Data(base64Encoded: Self.elsewhere))
        func sentence(host: String) throws -> String {
            let trust = ServerTrust(
                host: host, chain: [certificate], verificationResult: verificationResult)
            let url = try #require(URL(string: "https://\(host)/"))
            return WebFailure.sentence(for: trust.refusal(url), url: url, retry: .key)
        }
        #expect(
            try sentence(host: "a.org").contains("The certificate of a.org is for another host"))
        #expect(try sentence(host: "elsewhere.test").contains("does not trust its certificate"))
    }

    /// A self-signed certificate for `elsewhere.test`.
    private static let elsewhere = """
        MIIBpDCCAUqgAwIBAgIUMegO36SZ0lLRP3KtrURmZc1uCRMwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOZWxzZXdoZX\
        JlLnRlc3QwIBcNMjYxMTI4MTcwOTMyWhgPMjEyNjExMDQxNzA5MzJaMBkxFzAVBgNVBAMMDmVsc2V3aGVyZS50ZXN0\
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE+vzzD0W/MQU3Z6JxI7uS9gtK1kJfdfw8Vr/rGfCwI/e7SabH/j8nF0\
        Zw3SoV6exHM51urGvrIwjDnQVwR73wLqNuMGwwHQYDVR0OBBYEFGDxf7CvHEd8eH+om5lfkdoTl017MB8GA1UdIwQY\
        MBaAFGDxf7CvHEd8eH+om5lfkdoTl017MA8GA1UdEwEB/wQFMAMBAf8wGQYDVR0RBBIwEIIOZWxzZXdoZXJlLnRlc3\
        QwCgYIKoZIzj0EAwIDSAAwRQIhAPXbTLkYry3DesTFaFnqPn2Xb0S3oVC0CJUBVhU/1I39AiAffysouGmr0oHu4rHJ\
        6X+5TSriTEOYgKzuyQ8iWzQa4Q==
        """

    @Test(
        arguments: [
            (401, "https://a.org/", "a.org requires a user name and a password (401)."),
            (
                401, "https://ann:x@a.org/",
                "a.org did not accept the user name and the password in the address (401)."
            ),
            (407, "http://a.org/", "The proxy requires a user name and a password (407)."),
            (511, "http://a.org/", "This network has a sign-in page (511). Sign in there"),
            (399, "http://a.org/", nil),
        ] as [(Int, String, String?)])
    func saysWhatAStatusMeans(status: Int, address: String, beginning: String?) throws {
        let url = try #require(URL(string: address))
        let sentence = WebFailure.sentence(
            forStatus: status, url: url, hadCredentials: url.user() != nil)
        #expect((sentence == nil) == (beginning == nil))
        #expect(sentence?.hasPrefix(beginning ?? "") ?? true, "\(sentence ?? "")")
    }

    @Test func namesTheServerOfTheRedirectThatFailed() throws {
        let words = try sentence(.serverCertificateUntrusted, failing: "https://b.org:444/y")
        #expect(words.contains("b.org:444") && !words.contains("a.org"))
    }
}
