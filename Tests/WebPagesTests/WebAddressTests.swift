import CurlNetworking
import FoundationEssentials
import Testing
import WebPages
import WebText

/// Addresses as people and pages write them.
@Suite struct WebAddressTests {
    @Test(arguments: [
        // Only what is invalid is escaped.
        ("https://h/张三/My%20Club", "https://h/%E5%BC%A0%E4%B8%89/My%20Club"),
        ("https://h/a[1] b%20c", "https://h/a%5B1%5D%20b%20c"),
        ("https://h/100%", "https://h/100%25"),
        ("https://h/%zz%4", "https://h/%25zz%254"),
        ("https://h/%e5%BC", "https://h/%e5%BC"),
        ("https://h/?q=[a]&b=ü%C3%BC#x#y", "https://h/?q=%5Ba%5D&b=%C3%BC%C3%BC#x%23y"),
        ("https://h/a\"<>\\^`{|}\t\u{7F}", "https://h/a%22%3C%3E%5C%5E%60%7B%7C%7D%09%7F"),
        ("https://[::1]:8443/a-b_c.d~e!$&'()*+,;=:@", "https://[::1]:8443/a-b_c.d~e!$&'()*+,;=:@"),
        ("a b/c%20d?x", "a%20b/c%20d?x"), ("mailto:a b@c", "mailto:a%20b@c"), ("#ä", "#%C3%A4"),
        // A host has letters of ASCII.
        ("https://münchen.de:8080/", "https://xn--mnchen-3ya.de:8080/"),
        ("//münchen.de/ä", "//xn--mnchen-3ya.de/%C3%A4"),
        ("https://MÜNCHEN.de", "https://xn--mnchen-3ya.de"),
        ("https://mu\u{308}nchen.de/", "https://xn--mnchen-3ya.de/"),
        ("https://m%C3%BCnchen.de/", "https://xn--mnchen-3ya.de/"),
        ("https://ann@münchen.de/", "https://ann@xn--mnchen-3ya.de/"),
        ("https://ｅｘａｍｐｌｅ．ｃｏｍ/", "https://example.com/"),
        ("https://例え。テスト/", "https://xn--r8jz45g.xn--zckzah/"),
        ("https://exa\u{200B}mple.com/", "https://example.com/"),
        ("HTTPS://Club.Example/", "HTTPS://Club.Example/"), ("http://a_b.c/", "http://a_b.c/"),
    ])
    func isMadeValid(written: String, valid: String) {
        #expect(LenientAddress.valid(written) == valid)
        #expect(LenientAddress.valid(valid) == valid)
        #expect(LenientAddress.url(written)?.absoluteString == valid)
    }

    @Test(arguments: [
        "https://a b/c", "https://ä\u{A0}b/", "https://ä\u{3000}b/", "https://%/", "https://a%2Fb/",
        "https://%FF/", "https://h:8x/", "https://a\\b/", "https://a|b/", "https://ä\u{E000}/",
        "https://" + String(repeating: "ä", count: 100_000) + "/",
    ])
    func anInvalidHostIsNone(written: String) {
        #expect(LenientAddress.url(written) == nil)
    }

    @Test(
        arguments: [
            ("example.com/ü%20x", "https://example.com/%C3%BC%20x"),
            (" http://münchen.de/[a] ", "http://xn--mnchen-3ya.de/%5Ba%5D"),
            ("ftp://example.com/", nil), ("a b", nil), ("", nil),
            ("http://h:65535/", "http://h:65535/"), ("h:80/x", "https://h:80/x"),
            ("http://h:/", "http://h:/"), ("http://h:0/", nil), ("http://h:65536/", nil),
            ("http://h:99999999999999999999/", nil), ("http://[::1]:99999/", nil),
        ] as [(String, String?)])
    func isReadAsTyped(typed: String, address: String?) {
        #expect(WebAddress.typed(typed)?.absoluteString == address)
    }

    @Test func knowsWhereHTTPSIsAssumed() {
        #expect(WebAddress.lacksScheme("example.com:8080/x"))
        #expect(!WebAddress.lacksScheme("http://example.com"))
    }

    @Test func aLinkKeepsItsEscapes() throws {
        var document = WebDocument()
        document.base = "/ä%20b/"
        document.links = [
            WebLink("x%20y[1].html"), WebLink("//münchen.de/"), WebLink("https://a b/"),
        ]
        let url = try #require(URL(string: "https://a.org/x"))
        let page = WebPage(url: url, document: document, format: WebPageFormat(width: 40))
        let targets = (0..<3).map { page.target(ofLink: $0)?.absoluteString }
        #expect(
            targets == [
                "https://a.org/%C3%A4%20b/x%20y%5B1%5D.html", "https://xn--mnchen-3ya.de/", nil,
            ])
    }
}
