import Testing

@testable import ClubStore

@Suite struct WebDAVRefusalTests {
    @Test(arguments: [
        (
            """
            <?xml version="1.0" encoding="utf-8"?>
            <d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">
              <s:exception>Sabre\\DAV\\Exception\\BadRequest</s:exception>
              <s:message>The moon &amp; the stars &lt;both&gt; are wrong</s:message>
            </d:error>
            """, "The moon & the stars <both> are wrong"
        ),
        ("<message>" + String(repeating: " ", count: 490) + "</message>", ""),
        ("<error><message lang='en'> cut off</m", "cut off"), ("Plain words", "Plain words"),
        ("<html><p>A page</p></html>", "<html><p>A page</p></html>"), ("", ""),
        ("<s:message></s:message>", "<s:message></s:message>"), ("&amp;lt;", "&amp;lt;"),
    ])
    func saysWhatTheServerSays(body: String, expected: String) {
        let refusal = WebDAVRefusal(status: 400, method: "PUT", words: body)
        #expect(refusal.sentence == expected)
        let error = refusal.error(during: .put, at: nil)
        #expect(error.refusedWords == expected)
    }
}
