import CByteClubCurl
import Foundation
import Testing

@testable import CurlNetworking

@Suite struct HTTPVersionPolicyTests {
    private typealias Library = HTTPVersionPolicy.Library

    private static let debian12 = Library(version: 0x075801, hasHTTP2: true, hasHTTP3: false)
    private static let ubuntu24 = Library(version: 0x080500, hasHTTP2: true, hasHTTP3: false)
    private static let debian13 = Library(version: 0x080E01, hasHTTP2: true, hasHTTP3: false)
    private static let bare = Library(version: 0x081500, hasHTTP2: false, hasHTTP3: false)
    private static let old = Library(version: 0x080500, hasHTTP2: true, hasHTTP3: true)
    private static let full = Library(version: 0x081500, hasHTTP2: true, hasHTTP3: true)

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var policy: HTTPVersionPolicy
        /// nil: an error.
        var choice: HTTPVersionChoice?

        init(
            _ name: String, _ library: HTTPVersionPolicy.Library, isSecure: Bool = true,
            _ choice: HTTPVersionChoice?, _ change: (inout HTTPVersionPolicy) -> Void = { _ in }
        ) {
            testDescription = name
            policy = HTTPVersionPolicy(library: library, isSecure: isSecure)
            change(&policy)
            self.choice = choice
        }
    }

    private static let cases = [
        Case("7.88.1 stalls when paused", debian12, .http1_1),
        Case("so may 8.5", ubuntu24, .http1_1),
        Case("from 8.14 on", debian13, .http2OrOlder),
        Case("without nghttp2", bare, .http1_1),
        Case("HTTP/3 only when asked for", full, .http2OrOlder),
        Case("never in the clear", debian13, isSecure: false, .http1_1),
        Case("through a tunnel", debian13, .http2OrOlder) { $0.hasProxy = true },
        Case("a WebSocket", debian13, .http1_1) { $0.isWebSocket = true },
        Case("a server that wants 1.1", debian13, .http1_1) { $0.isDowngraded = true },
        Case("fields behind the body", debian13, .http1_1) { $0.mayEndInTrailers = true },
        Case("with a delegate", debian13, .http2OrOlder) { $0.mayBeAsked = true },

        Case("1.1 by choice", full, .http1_1) { $0.preference = .http1_1 },
        Case("1.1 by choice, whatever the request says", full, .http1_1) {
            $0.preference = .http1_1
            $0.assumesHTTP3 = true
        },

        Case("2 by choice", debian13, .http2Only) { $0.preference = .http2 },
        Case("2 by choice in the clear", debian13, isSecure: false, .http2Only) {
            $0.preference = .http2
        },
        Case("2 by choice in the clear to a proxy", debian13, isSecure: false, .http1_1) {
            $0.preference = .http2
            $0.hasProxy = true
        },
        Case("2 by choice, with fields behind the body", debian13, .http2Only) {
            $0.preference = .http2
            $0.mayEndInTrailers = true
        },
        Case("2 by choice, a WebSocket", debian13, .http1_1) {
            $0.preference = .http2
            $0.isWebSocket = true
        },
        Case("2 by choice with 7.88.1", debian12, nil) { $0.preference = .http2 },
        Case("2 by choice without nghttp2", bare, nil) { $0.preference = .http2 },

        Case("3 by choice", full, .http3OrOlder) { $0.preference = .http3 },
        Case("3 by the request", full, .http3OrOlder) { $0.assumesHTTP3 = true },
        Case("3 without libcurl's feature", debian13, .http2OrOlder) { $0.preference = .http3 },
        Case("3 with an old libcurl", debian12, .http1_1) { $0.assumesHTTP3 = true },
        // It would fall back to an HTTP/2 that stalls.
        Case("3 with an old libcurl that has it", old, .http1_1) { $0.assumesHTTP3 = true },
        Case("3 in the clear", full, isSecure: false, .http1_1) { $0.preference = .http3 },
        Case("3 through a proxy", full, .http2OrOlder) {
            $0.preference = .http3
            $0.hasProxy = true
        },
        Case("3 with a delegate that may be asked about the server", full, .http2OrOlder) {
            $0.preference = .http3
            $0.mayBeAsked = true
        },
    ]

    @Test(arguments: cases)
    func theVersionFollowsFromLibraryConfigurationAndRequest(each: Case) {
        guard let choice = each.choice else {
            let error = #expect(throws: URLError.self) { try each.policy.choose() }
            #expect(error?.code == .unsupportedURL)
            #expect(error?.underlyingText?.contains("libcurl 8.14") == true)
            return
        }
        #expect((try? each.policy.choose()) == choice)
    }

    @Test(arguments: [
        (HTTPVersionChoice.http1_1, CURL_HTTP_VERSION_1_1),
        (.http2OrOlder, CURL_HTTP_VERSION_2TLS),
        (.http2Only, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE), (.http3OrOlder, CURL_HTTP_VERSION_3),
    ])
    func eachChoiceIsAnOptionOfLibcurl(choice: HTTPVersionChoice, option: Int) {
        #expect(choice.curlVersion == option)
        #expect(choice.mayMultiplex == (choice != .http1_1))
    }

    @Test(arguments: [
        (Float(0), 1), (0.25, 4), (0.5, 16), (0.75, 64), (1, 256), (-1, 1), (7, 256), (.nan, 16),
    ])
    func aPriorityIsAWeight(priority: Float, weight: Int) {
        #expect(StreamWeight.of(priority) == weight)
    }

    @Test func theConfigurationKeepsTheChoice() throws {
        let configuration = URLSessionConfiguration.ephemeral
        #expect(configuration.httpVersion == .automatic)
        configuration.httpVersion = .http1_1
        let copy = try #require(configuration.copy() as? URLSessionConfiguration)
        #expect(copy.httpVersion == .http1_1)
        let settings = BackgroundSettings(configuration.snapshot)
        let sent = try JSONDecoder().decode(
            BackgroundSettings.self, from: JSONEncoder().encode(settings))
        #expect(sent.makeConfiguration().httpVersion == .http1_1)
    }
}
