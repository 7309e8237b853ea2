import FoundationEssentials

@testable import CurlNetworking

/// Entry points for a fuzzer: each takes any bytes, and must neither trap nor hang.
package enum CookieFuzzing {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    /// A `Set-Cookie` line, through parsing, the jar and back into a `Cookie` field.
    package static func setCookie(_ bytes: UnsafeRawBufferPointer) {
        guard let url = URL(string: "https://a.b.example.co.uk:8443/x/y/z?q"),
            let field = SetCookieField(bytes), let cookie = Cookie(field, from: url, now: now)
        else { return }
        var jar = CookieJar(suffixes: suffixes)
        try? jar.store(cookie, from: url, now: now)
        for cookie in jar.cookies(for: url, now: now) {
            precondition(!cookie.pair.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F })
            precondition(cookie.pair.utf8.count <= 3 * SetCookieField.largestByteCount + 1)
        }
    }

    /// A joined header field.
    package static func joinedLines(_ bytes: UnsafeRawBufferPointer) {
        guard let url = URL(string: "https://example.com/") else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        _ = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": text], for: url)
    }

    package static func date(_ bytes: UnsafeRawBufferPointer) {
        _ = CookieDate.parse(bytes)
    }

    /// A cookie file; one that is taken must come out the same when it is written and read again.
    package static func file(_ bytes: UnsafeRawBufferPointer) {
        // The body alone first, or no input would ever get past the sum.
        if let cookies = try? JSONDecoder().decode([Cookie].self, from: Data(bytes)) {
            let written = CookieFile.encode(cookies)
            precondition((try? CookieFile.decode(written)) != nil)
        }
        _ = try? CookieFile.decode(Data(bytes))
    }

    /// A host, through canonical form and the suffix rules.
    package static func host(_ bytes: UnsafeRawBufferPointer) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let host = CookieScope.canonicalHost(text) else { return }
        precondition(host.utf8.allSatisfy { $0 < 0x80 })
        _ = suffixes.contains(host)
        _ = suffixes.registrableDomain(of: host)
    }

    /// A list of public suffixes.
    package static func suffixList(_ bytes: UnsafeRawBufferPointer) {
        _ = PublicSuffixes(list: bytes).contains("a.b.c")
    }

    private static let suffixes = PublicSuffixes(list: "com\nuk\nco.uk\n*.ck\n!www.ck\n".utf8)
}
