import CurlNetworking
import FoundationEssentials
import ByteClubMessages
import Testing
import WebPages

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
        (.badURL, "This is not a valid address."),
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

    @Test func namesTheServerOfTheRedirectThatFailed() throws {
        let words = try sentence(.serverCertificateUntrusted, failing: "https://b.org:444/y")
        #expect(words.contains("b.org:444") && !words.contains("a.org"))
    }
}
