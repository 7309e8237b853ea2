import CurlNetworking
import Foundation
import TestSupport
import Testing

/// The cases of Chromium's `net/http/http_content_disposition_unittest.cc` and of greenbytes.de's tc2231 behind
/// them, told again: what a server writes, and the name a task proposes.
///
/// Ours reads RFC 6266 and RFC 8187 and no more. Chromium goes further, and undoes `%` and mail's encoded words
/// (RFC 2047) within a plain `filename`, which RFC 6266 §D wants left alone: a file that is called `50%25.txt`
/// could not be saved under its name. Whatever comes out is one file's name: no slash, no control character.
///
/// Left out: fields with a line feed or NUL in them, which no answer can have (libcurl refuses it), and what
/// Chromium notes about a field besides its name.
@Suite(.timeLimit(.minutes(1))) struct ContentDispositionTests {
    /// What is proposed when the field proposes nothing: the last part of the URL.
    private static let none = "from-url"

    static let plain: [(field: String, name: String)] = [
        ("inline; filename=\"abcde.pdf\"", "abcde.pdf"),
        ("attachment; filename=abcde.pdf", "abcde.pdf"),
        ("attachment; filename=abc,de.pdf", "abc,de.pdf"), ("filename=abcde.pdf", "abcde.pdf"),
        ("filename= abcde.pdf", "abcde.pdf"), ("filename =abcde.pdf", "abcde.pdf"),
        ("filename = abcde.pdf", "abcde.pdf"), ("filename\t=abcde.pdf", "abcde.pdf"),
        ("filename \t\t  =abcde.pdf", "abcde.pdf"),
        ("inline; name=\"abcde.pdf\"", none), ("attachment; name=abcde.pdf", none),
        ("name=abcde.pdf", none), ("filename=\"abcdef.pdf", "abcdef.pdf"),
        ("inline; filename=\"abc  \tde.pdf\"", "abc  _de.pdf"),
        ("attachment; name=\"foo\"; filename=\"bar\"", "bar"),
        ("attachment; filename=\"bar\"; name=\"foo\"", "bar"),
        ("attachment; filename=\"\"", none), ("attachment; filename=", none),
        ("attachment; filename=\"café.png\"", "café.png"),
        ("attachment; filename=café.png", "café.png"),
    ]

    /// Chromium decodes these; RFC 6266 does not.
    static let leftAlone: [(field: String, name: String)] = [
        ("inline; filename=\"abc%20de.pdf\"", "abc%20de.pdf"),
        ("attachment; filename=\"%EC%98%88%EC%88%A0.jpg\"", "%EC%98%88%EC%88%A0.jpg"),
        ("attachment; filename=%EC%98%88%EC%88%A", "%EC%98%88%EC%88%A"),
        ("attachment; filename=%B7%DD%BD%D1.png", "%B7%DD%BD%D1.png"),
        ("attachment; filename=\"foo-%41.html\"", "foo-%41.html"),
        ("attachment; filename=\"foo-%c3%a4-%e2%82%ac.html\"", "foo-%c3%a4-%e2%82%ac.html"),
        ("attachment; filename=\"foo-%\\41.html\"", "foo-%41.html"),
        ("attachment; filename=\"50%.html\"", "50%.html"),
        ("attachment; filename=\"=?utf-8?Q?a=C3=A4?=\"", "=?utf-8?Q?a=C3=A4?="),
        ("attachment; filename==?utf-8?Q?foo?=", "=?utf-8?Q?foo?="),
        ("attachment; filename==?iso88591?Q?caf=EG?=", "=?iso88591?Q?caf=EG?="),
        (
            "attachment; filename=\"%EC%98%88%EC%88%A0%20%EC%98%88%EC%88%A0.jpg\"",
            "%EC%98%88%EC%88%A0%20%EC%98%88%EC%88%A0.jpg"
        ),
        (
            "attachment; filename=\"%F0%90%8C%B0%F0%90%8C%B1abc.jpg\"",
            "%F0%90%8C%B0%F0%90%8C%B1abc.jpg"
        ),
        (
            "attachment; filename=%E5%B2%A1%E3%80%80%E5%B2%A1.txt",
            "%E5%B2%A1%E3%80%80%E5%B2%A1.txt"
        ),
        (
            "attachment; filename=\"=?EUC-JP?Q?=B7=DD=BD=D13=2Epng?=\"",
            "=?EUC-JP?Q?=B7=DD=BD=D13=2Epng?="
        ),
        // A slash is never in a name.
        ("attachment; filename==?eUc-Kr?b?v7m8+iAzLn/uZw==?=", "=?eUc-Kr?b?v7m8+iAzLn_uZw==?="),
        (
            "attachment; filename==?utf-8?Q?=E8=8A=B8=E8=A1=93_3=2Epng?=",
            "=?utf-8?Q?=E8=8A=B8=E8=A1=93_3=2Epng?="
        ),
        (
            "attachment; filename==?utf-8?Q?=F0=90=8C=B0_3=2Epng?=",
            "=?utf-8?Q?=F0=90=8C=B0_3=2Epng?="
        ),
        (
            "inline; filename=\"=?iso88591?Q?caf=e9_=2epng?=\"",
            "=?iso88591?Q?caf=e9_=2epng?="
        ),
        (
            "inline; filename=\"=?iso88591?Q?caf=E9_?= .png\"", "=?iso88591?Q?caf=E9_?= .png"
        ),
        (
            "inline; filename=\"=?euc-kr?b?v7m8+iAz?= =?ksc5601?q?=BF=B9=BC=FA=2Epng?=\"",
            "=?euc-kr?b?v7m8+iAz?= =?ksc5601?q?=BF=B9=BC=FA=2Epng?="
        ),
        (
            "attachment; filename=\"=?windows-1252?Q?caf=E9?=  =?iso-8859-7?b?4eI=?= .png\"",
            "=?windows-1252?Q?caf=E9?=  =?iso-8859-7?b?4eI=?= .png"
        ),
        // What Chromium takes for broken words, and so for no name.
        ("attachment; filename==?iso88591?Q?caf=E3?", "=?iso88591?Q?caf=E3?"),
        ("attachment; filename==?iso88591?Q?caf=E3?==", "=?iso88591?Q?caf=E3?=="),
        ("attachment; filename==?iso88591?Q?caf=E3?=?", "=?iso88591?Q?caf=E3?=?"),
        ("attachment; filename==?iso88591?Q?caf=E3?=?=", "=?iso88591?Q?caf=E3?=?="),
        ("attachment; filename==?windows-1252?Q?=63=61=E?=", "=?windows-1252?Q?=63=61=E?="),
        (
            "attachment; filename==?windows-1252?Q?caf=E3?==?iso-8859-7?b?4eIucG5nCg==?=",
            "=?windows-1252?Q?caf=E3?==?iso-8859-7?b?4eIucG5nCg==?="
        ),
        ("attachment; filename==?utf-8?Q??=", "=?utf-8?Q??="),
        ("filename==?utf-8?Q?foo?=", "=?utf-8?Q?foo?="),
        ("filename=\"=?utf-8?Q?foo?=\"", "=?utf-8?Q?foo?="),
        ("filename==?utf-8?Q?foo?", "=?utf-8?Q?foo?"),
        ("filename=foo%cc%88", "foo%cc%88"),
        (
            "filename=foo\u{308} foo%cc%88 =?utf-8?Q?foo?=",
            "foo\u{308} foo%cc%88 =?utf-8?Q?foo?="
        ),
        (
            "filename=foo\u{308} foo%cc%88 =?utf-8?Q?foo?; name=x",
            "foo\u{308} foo%cc%88 =?utf-8?Q?foo?"
        ),
    ]

    static let extended: [(field: String, name: String)] = [
        ("attachment; filename*=foo.html", none), ("attachment; filename*=foo'.html", none),
        ("attachment; filename*=''foo'.html", none), ("attachment; filename*=''foo.html'", none),
        ("attachment; filename*=''f\"oo\".html'", none),
        ("attachment; filename*=bogus_charset''foo.html'", none),
        ("attachment; filename*='en'foo.html", none),
        ("attachment; filename*=iso-8859-1'en'foo.html", "foo.html"),
        ("attachment; filename*=utf-8'en'foo.html", "foo.html"),
        ("attachment; filename*=utf-8'en'%E5%B2%A1%E3%80%80%E5%B2%A1.txt", "岡\u{3000}岡.txt"),
        ("attachment; filename*=utf-8'es'fκ.html", none),
        ("attachment; filename*=utf-8''%F0%90%8C%B0 3.png", "\u{10330} 3.png"),
        ("attachment; filename*=utf-8''%E8%8A%B8%E8%A1%93%203%2Epng", "芸術 3.png"),
        // No other charset is in RFC 8187; Chromium knows them all.
        ("attachment; filename*=EUC-JP''%B7%DD%BD%D13%2Epng", none),
        ("inline; filename*=Euc-Kr'ko'%BF%B9%BC%FA%2Epng", none),
        ("attachment; filename*=windows-1252''caf%E9.png", none),
        ("attachment; filename*=iso-8859-1''foo-%E4.html", "foo-ä.html"),
        ("attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "foo-ä-€.html"),
        ("attachment; filename*=''foo-%c3%a4-%e2%82%ac.html", none),
        ("attachment; filename*=UTF-8''foo-a%cc%88.html", "foo-ä.html"),
        // Not UTF-8, whatever it says; the escapes are cut short.
        ("attachment; filename*=UTF-8''foo-%e4.html", none),
        ("attachment; filename*=UTF-8''foo-%c3%a", none),
        ("attachment; filename*=UTF-8''foo%", none),
        ("attachment; filename*=UTF-8''foo-%zz.html", none),
        ("attachment; filename *=UTF-8''foo-%c3%a4.html", none),
        ("attachment; filename*= UTF-8''foo-%c3%a4.html", "foo-ä.html"),
        ("attachment; filename* =UTF-8''foo-%c3%a4.html", "foo-ä.html"),
        // In quotes it is wrong, and plain to read all the same; Chromium leaves it.
        ("attachment; filename*=\"UTF-8''foo-%c3%a4.html\"", "foo-ä.html"),
        ("attachment; filename=\"foo-ae.html\"; filename*=UTF-8''foo-%c3%a4.html", "foo-ä.html"),
        ("attachment; filename*=UTF-8''foo-%c3%a4.html; filename=\"foo-ae.html\"", "foo-ä.html"),
        ("attachment; filename=\"bar\"; filename*=utf-8''baz", "baz"),
        // One that cannot be read gives way to the plain one.
        ("attachment; filename=\"foo.html\"; filename*=x''b.html", "foo.html"),
        ("attachment; name=y; filename*=utf-8''foo; name=x", "foo"),
        ("attachment; filename*=UTF-8''a%2Fb%5Cc.html", "a_b\\c.html"),
        ("attachment; filename*=UTF-8''a%00b%0D%0Ac", "a_b__c"),
        ("attachment; filename*=UTF-8''..", none),
        ("attachment; filename*='es'f\u{FA}.html'", none),
        ("attachment; filename*=iso-8859-1'es'f\u{FA}.html", none),
        // Chromium knows this spelling of ISO-8859-1, too.
        ("inline; filename*=iso88591''cafe foo.png", none), ("attachment; filename*=", none),
        ("attachment; filename*=iso-8859-1''foo-%c3%a4-%e2%82%ac.html", "foo-Ã¤-â\u{82}¬.html"),
    ]

    static let tc2231: [(field: String, name: String)] = [
        ("inline", none), ("\"inline\"", none), ("inline; filename=\"foo.html\"", "foo.html"),
        ("inline; filename=\"Not an attachment!\"", "Not an attachment!"), ("attachment", none),
        ("\"attachment\"", none), ("ATTACHMENT", none), ("foobar", none), ("", none),
        ("attachment; filename=\"f\\oo.html\"", "foo.html"),
        ("attachment; filename=\"\\\"quoting\\\" tested.html\"", "\"quoting\" tested.html"),
        ("attachment; filename=\"Here's a semicolon;.html\"", "Here's a semicolon;.html"),
        ("attachment; foo=\"bar\"; filename=\"foo.html\"", "foo.html"),
        ("attachment; foo=\"\\\"\\\\\";filename=\"foo.html\"", "foo.html"),
        ("attachment; FILENAME=\"foo.html\"", "foo.html"),
        ("attachment; filename=foo.html ;", "foo.html"), ("attachment; ;filename=foo", "foo"),
        ("attachment; filename=foo bar.html", "foo bar.html"),
        ("attachment; filename='foo.bar'", "'foo.bar'"),
        ("attachment; filename=\"foo-ä.html\"", "foo-ä.html"),
        ("attachment; filename =\"foo.html\"", "foo.html"),
        ("attachment; filename=\"foo.html\"; filename=\"bar.html\"", "foo.html"),
        ("attachment; filename=foo[1](2).html", "foo[1](2).html"),
        ("filename=foo.html", "foo.html"), ("x=y; filename=foo.html", "foo.html"),
        // The quotes belong together: Chromium finds nothing, Firefox this.
        ("\"foo; filename=bar;baz\"; filename=qux", "qux"),
        ("filename=foo.html, filename=bar.html", "foo.html, filename=bar.html"),
        ("; filename=foo.html", "foo.html"),
        // Chromium gives up at a second disposition; the name is as clear as ever.
        ("inline; attachment; filename=foo.html", "foo.html"),
        ("attachment; inline; filename=foo.html", "foo.html"),
        ("attachment; filename=\"foo.html\".txt", "foo.html.txt"),
        ("attachment; filename=\"bar", "bar"),
        ("attachment; filename=foo\"bar;baz\"qux", "foobar;bazqux"),
        ("attachment; filename=foo.html, attachment; filename=bar.html", "foo.html, attachment"),
        ("attachment; foo=foo filename=bar", none),
        ("filename=foo.html; attachment", "foo.html"), ("attachment; xfilename=foo.html", none),
        ("attachment; filename=\"/foo.html\"", "_foo.html"),
        ("attachment; filename=\"\\\\foo.html\"", "\\foo.html"),
        ("attachment; filename=\"../../etc/passwd\"", ".._.._etc_passwd"),
        ("attachment; filename=\"..\"", none), ("attachment; filename=\".\"", none),
        ("attachment; example=\"filename=example.txt\"", none),
        ("attachment; foobar=x; filename=\"foo.html\"", "foo.html"),
        ("inline; filename=\"foo.pdf\"", "foo.pdf"),
        ("attachment; filename=\"foo.html\"", "foo.html"),
        ("attachment; filename=foo.html", "foo.html"), ("attachment; name=\"foo-%41.html\"", none),
        ("attachment; filename=foo-ä.html", "foo-ä.html"), ("example=x", none),
        ("attachment; name=", none), ("filename=x", "x"), ("example; filename=x", "x"),
        ("attachment; filename=x", "x"), ("attachment; filename='x'", "'x'"),
        ("attachment; filename=x; name=y", "x"), ("filename=foo\u{308}", "foo\u{308}"),
        ("name=foo\u{308}", none), ("filename=x; name=foo\u{308}", "x"),
    ]

    /// One connection carries them all, a target for each.
    @Test(arguments: [plain, leftAlone, extended, tc2231])
    func aProposedName(cases: [(field: String, name: String)]) async throws {
        let server = try LoopbackServer { request in
            let index = Int(request.target.split(separator: "/").first ?? "") ?? 0
            return [.answer("200 OK", ["Content-Disposition: " + cases[index].field])]
        }
        let session = makeSession()
        defer { session.invalidateAndCancel() }
        for (index, one) in cases.enumerated() {
            let (_, response) = try await session.data(from: server.url("/\(index)/from-url"))
            #expect(response.suggestedFilename == one.name, "\(one.field)")
        }
    }

    /// Chromium takes the charset of the page that led here.
    @Test func aNameThatIsNotUTF8IsISO88591() async throws {
        var head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n".utf8)
        head += Array("Content-Disposition: attachment; filename=\"caf".utf8)
        head.append(0xE5)
        head += Array(".png\"\r\n\r\n".utf8)
        let server = try LoopbackServer(scripts: [[.readHead, .send(head), .stall]])
        let (_, response) = try await makeSession().data(from: server.url())
        #expect(response.suggestedFilename == "cafå.png")
    }
}
