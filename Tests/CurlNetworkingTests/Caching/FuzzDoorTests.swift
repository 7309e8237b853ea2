import CurlNetworkingFuzzing
import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// A short walk through the fuzzers' doors with the same random bytes each time; a door that traps
/// takes the test process along.
@Suite struct FuzzDoorTests {
    typealias Door = @Sendable (UnsafeRawBufferPointer) -> Void

    private static let doors: [(name: String, door: Door, seeds: [String])] = [
        (
            "Set-Cookie", { CookieFuzzing.setCookie($0) },
            [
                "a=b; Domain=.example.co.uk; Path=/x; Max-Age=9; Secure; SameSite=Lax",
                "__Host-a=\"b\"; path=/",
            ]
        ),
        (
            "joined lines", { CookieFuzzing.joinedLines($0) },
            ["a=b; expires=Sun, 16-Aug-2025 22:39:54 GMT, c=\"d, e=f\"; path=/, g"]
        ),
        (
            "cookie date", { CookieFuzzing.date($0) },
            ["Sun, 16-Aug-2025 22:39:54 GMT", "1:1:1 1 jan 70"]
        ),
        (
            "host", { CookieFuzzing.host($0) },
            ["www.bücher.ck", "a.b.example.co.uk", "[::1]", "1.2.3.4"]
        ),
        ("suffix list", { CookieFuzzing.suffixList($0) }, ["// x\ncom\n*.ck\n!www.ck\n公司.cn\n"]),
        (
            "cookie file", { CookieFuzzing.file($0) },
            [
                #"[{"name":"a","value":"b","domain":"c.d","isHostOnly":true,"path":"/","isSecure":false,"#
                    + #""isHTTPOnly":false,"created":1,"version":0,"isDiscarded":false,"expires":9e9}]"#
            ]
        ),
        (
            "head", { CacheFuzzing.head($0) },
            [
                "Cache-Control: max-age=9, no-cache=\"x, y\", stale-if-error=9\nETag: \"1\"\nAge: 3, 4\n"
                    + "Vary: a, b\nDate: Sun, 06 Nov 1994 08:49:37 GMT\nExpires: 0\nConnection: x\nX: y\n"
            ]
        ),
        (
            "Cache-Control", { CacheFuzzing.cacheControl($0) },
            ["max-age=\"9\", a=\"\\\"b\", no-cache=x"]
        ),
        (
            "HTTP date", { CacheFuzzing.date($0) },
            [
                "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994",
            ]
        ),
    ]

    @Test(arguments: doors.indices)
    func takesAnyBytes(index: Int) {
        let (_, door, seeds) = Self.doors[index]
        var random = SeededGenerator(seed: UInt64(index))
        for round in 0..<600 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                Self.mutate(&bytes, using: &random)
            }
            bytes.withUnsafeBytes(door)
        }
    }

    @Test func takesAnyCacheFile() {
        var headers = HTTPHeaderFields()
        headers["Vary"] = "x"
        guard let url = URL(string: "http://a.test/x") else { return }
        let head = StoredHead(
            url: url, status: 200, headers: headers, request: headers, requestTime: .distantPast,
            responseTime: .now)
        let preamble = CacheFilePreamble(headByteCount: 9, bodyByteCount: 9, headSum: 9, bodySum: 9)
        var random = SeededGenerator(seed: 1)
        for seed in [head.encoded, preamble.encoded] {
            for _ in 0..<600 {
                var bytes = seed
                Self.mutate(&bytes, using: &random)
                bytes.withUnsafeBytes { CacheFuzzing.file($0) }
            }
        }
    }

    private static func mutate(_ bytes: inout [UInt8], using random: inout SeededGenerator) {
        let place = bytes.indices.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<5, using: &random) {
        case 0 where !bytes.isEmpty: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 2 where !bytes.isEmpty: bytes.remove(at: place)
        case 3: bytes.removeLast(bytes.count - place)
        default: bytes.insert(contentsOf: bytes.suffix(9), at: place)
        }
    }
}
