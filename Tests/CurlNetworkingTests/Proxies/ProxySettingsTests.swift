import Foundation
import Testing

@testable import CurlNetworking

@Suite struct ProxySettingsTests {
    // MARK: - The environment

    @Test(
        arguments: [
            (["http_proxy": "p.test:3128"], "http://a.test/", "http://p.test:3128"),
            (["http_proxy": "http://p.test:3128/"], "https://a.test/", nil),
            // A client's field in a CGI script.
            (["HTTP_PROXY": "p.test:3128"], "http://a.test/", nil),
            (["https_proxy": "p.test"], "https://a.test/", "http://p.test:1080"),
            (["HTTPS_PROXY": "https://p.test"], "https://a.test/", "https://p.test:443"),
            (
                ["https_proxy": "one.test:1", "HTTPS_PROXY": "two.test:2"], "https://a.test/",
                "http://one.test:1"
            ),
            (["all_proxy": "socks5://p.test"], "http://a.test/", "socks5h://p.test:1080"),
            (["ALL_PROXY": "socks4a://[::1]:9"], "https://a.test/", "socks4a://[::1]:9"),
            (
                ["all_proxy": "p.test:1", "http_proxy": "q.test:2"], "http://a.test/",
                "http://q.test:2"
            ),
            (["http_proxy": ""], "http://a.test/", nil),
            (["http_proxy": "gopher://p.test"], "http://a.test/", nil),
            (["http_proxy": "p.test:1"], "http://localhost/", nil),
            (["http_proxy": "p.test:1"], "http://127.0.0.2:80/", nil),
            (["http_proxy": "p.test:1"], "http://[::1]:80/", nil),
            (["http_proxy": "p.test:1", "no_proxy": "b.test, a.test"], "http://a.test/", nil),
            (["http_proxy": "p.test:1", "NO_PROXY": "*"], "http://a.test/", nil),
            (["http_proxy": "p.test:1", "no_proxy": "a.test"], "http://x.a.test/", nil),
            (
                ["http_proxy": "p.test:1", "no_proxy": "a.test"], "http://xa.test/",
                "http://p.test:1"
            ),
        ] as [([String: String], String, String?)])
    func readsWhatCurlReads(variables: [String: String], url: String, proxy: String?) throws {
        let settings = ProxySettings { variables[$0] }
        let url = try #require(URL(string: url))
        #expect(settings.proxy(for: url)?.curlText == proxy)
    }

    @Test func takesANameAndAPassword() throws {
        let proxy = try #require(ProxyServer("http://a%40b:p%3Aw@p.test:1"))
        #expect(proxy.user == "a@b")
        #expect(proxy.password == "p:w")
        #expect(!proxy.curlText.contains("p:w"))
        var text = "\(proxy) \(String(reflecting: proxy))"
        dump(proxy, to: &text)
        #expect(!text.contains("p:w"))
    }

    // MARK: - Exceptions

    @Test(arguments: [
        ("a.test", "a.test", true), ("A.Test.", "a.test", true), ("a.test", "x.a.test", false),
        ("*.a.test", "x.a.test", true), ("*.a.test", "a.test", false),
        (".a.test", "x.y.a.test", true), (".a.test", "a.test", true), ("*", "b.test", true),
        ("10.0.0.0/8", "10.200.1.1", true), ("10.0.0.0/8", "11.0.0.1", false),
        ("169.254/16", "169.254.9.9", true), ("192.168.1.64/26", "192.168.1.127", true),
        ("192.168.1.64/26", "192.168.1.128", false), ("10.0.0.1", "10.0.0.1", true),
        ("fe80::/10", "fe80::1", true), ("[::1]", "::1", true), ("10.0.0.0/x", "10.0.0.1", false),
        ("10.0.0.0/99", "10.0.0.1", false), ("", "a.test", false), ("/8", "10.0.0.1", false),
    ])
    func covers(pattern: String, host: String, isCovered: Bool) {
        #expect(
            ProxyException(pattern, includesSubdomains: false).covers(host) == isCovered)
    }

    // MARK: - Apple's dictionary

    @Test func readsApplesKeys() throws {
        let configuration = URLSessionConfiguration.ephemeral
        #expect(configuration.connectionProxyDictionary == nil)
        configuration.connectionProxyDictionary = [
            kCFNetworkProxiesHTTPEnable: 1, kCFNetworkProxiesHTTPProxy: "p.test",
            kCFNetworkProxiesHTTPPort: NSNumber(value: 3128), "HTTPSEnable": true,
            "HTTPSProxy": "q.test", "HTTPSPort": "8443",
            kCFNetworkProxiesExceptionsList: ["*.local", "c.test"],
            kCFNetworkProxiesExcludeSimpleHostnames: true, kCFProxyUsernameKey: "ada",
            kCFProxyPasswordKey: "pw",
        ]
        let settings = try #require(configuration.snapshot.proxies)
        #expect(
            settings.http
                == ProxyServer(.http, host: "p.test", port: 3128, user: "ada", password: "pw"))
        #expect(settings.https?.curlText == "http://q.test:8443")
        for (url, proxy) in [
            ("http://a.test/", "http://p.test:3128"), ("https://a.test/", "http://q.test:8443"),
            ("http://x.local/", nil), ("http://c.test/", nil), ("http://printer/", nil),
            ("http://127.0.0.1/", "http://p.test:3128"),
        ] {
            #expect(settings.proxy(for: try #require(URL(string: url)))?.curlText == proxy)
        }
        let copy = ProxySettings(
            dictionary: try #require(configuration.connectionProxyDictionary))
        #expect(copy == settings)
    }

    @Test func anEmptyDictionaryIsNoProxy() throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [:]
        let settings = try #require(configuration.snapshot.proxies)
        #expect(settings.proxy(for: try #require(URL(string: "http://a.test/"))) == nil)
    }

    @Test(arguments: [
        ["HTTPEnable": 0, "HTTPProxy": "p.test"] as [String: any Sendable],
        ["HTTPEnable": true], ["HTTPProxy": "p.test", "HTTPPort": 70_000],
        ["HTTPProxy": "", "HTTPEnable": 1],
    ])
    func whatIsOffOrMakesNoSenseIsNone(values: [String: any Sendable]) {
        #expect(ProxySettings(dictionary: values).http == nil)
    }

    @Test func socksIsForWhatHasNoneOfItsOwn() throws {
        let settings = ProxySettings(
            dictionary: ["SOCKSProxy": "s.test", "HTTPProxy": "p.test", "HTTPPort": 1])
        let url = try #require(URL(string: "https://a.test/"))
        #expect(settings.proxy(for: url)?.curlText == "socks5h://s.test:1080")
    }
}
