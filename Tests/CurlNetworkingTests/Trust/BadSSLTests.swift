import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// The servers of badssl.com and those beside them that TLS libraries are tested with, each with what a task makes
/// of it: with a delegate that leaves the server to the system, and without one.
///
/// What is too weak is decided by OpenSSL's security level, which is 2 on Debian and Ubuntu: 112 bits. That is why
/// RSA with 1024 bits and SHA-1 are refused, whatever a session's configuration allows.
///
/// Left out: `captive-portal`, `known-interception`, `blocked-interception`, `extended-validation`, `mixed`, `ui`,
/// `http` and `spoof` are about what a browser shows; `superfish`, `edellroot` and their like are authorities that
/// a system does not have, as in "an authority nobody knows"; `rsa8192` takes half a minute to make. Pinning is in
/// TrustTests, `hsts` in HSTSWireTests, `client` in ClientCertificateTests.
@Suite(
    .serialized, .timeLimit(.minutes(3)), .enabled(if: OpenSSLCommand.isInstalled)
)
struct BadSSLTests {
    @Test(arguments: BadSSLCase.chains, [false, true])
    func aChain(one: BadSSLCase, withDelegate: Bool) async throws {
        try await one.check(withDelegate: withDelegate)
    }

    @Test(arguments: BadSSLCase.extensions, [false, true])
    func anExtension(one: BadSSLCase, withDelegate: Bool) async throws {
        try await one.check(withDelegate: withDelegate)
    }

    @Test(arguments: BadSSLCase.names, [false, true])
    func aName(one: BadSSLCase, withDelegate: Bool) async throws {
        try await one.check(withDelegate: withDelegate)
    }

    @Test(arguments: BadSSLCase.strengths, [false, true])
    func aKeyOrASignature(one: BadSSLCase, withDelegate: Bool) async throws {
        try await one.check(withDelegate: withDelegate)
    }

    @Test(arguments: BadSSLCase.protocols, [false, true])
    func aProtocol(one: BadSSLCase, withDelegate: Bool) async throws {
        try await one.check(withDelegate: withDelegate)
    }

    /// No OpenSSL of today can play these servers: what they choose is written by hand.
    @Test(arguments: HandmadeServerHello.all, [false, true])
    func aChoiceThatWasNotOffered(hello: HandmadeServerHello, withDelegate: Bool) async throws {
        let server = try LoopbackServer(
            scripts: [[.read(byteCount: 100), .send(hello.bytes), .stall]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let session = withDelegate ? makeSession(SilentDelegate()) : makeSession()
        defer { session.invalidateAndCancel() }
        await #expect { try await session.data(from: url) } throws: { error in
            #expect((error as? URLError)?.code == .secureConnectionFailed, "\(error)")
            return true
        }
    }

    @Test func aClientHelloOffersNothingWeak() async throws {
        let server = try LoopbackServer(scripts: [[.read(byteCount: 200), .close]])
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        await #expect(throws: URLError.self) { try await makeSession().data(from: url) }
        let suites = try #require(cipherSuites(ofClientHello: server.received(on: 0)))
        #expect(suites.contains(0x1302))  // TLS_AES_256_GCM_SHA384
        let weak = suites.filter(Self.weakSuites.contains)
        #expect(weak.isEmpty, "\(weak.map { String($0, radix: 16) })")
    }

    /// RC4, DES, 3DES, export, NULL and anonymous ones, by IANA's numbers.
    private static let weakSuites = Set<UInt16>(
        Array(0x0001...0x001B) + [0x0034, 0x003A, 0x003B, 0x0046, 0x006C, 0x006D, 0x0089]
            + [0x00A6, 0x00A7, 0xC001, 0xC002, 0xC003, 0xC006, 0xC007, 0xC008, 0xC00B, 0xC00C]
            + [0xC00D, 0xC010, 0xC011, 0xC012] + Array(0xC015...0xC019))

    private func cipherSuites(ofClientHello bytes: [UInt8]) -> [UInt16]? {
        // A record's head, a message's head, a version, 32 random bytes, and a session to resume.
        guard bytes.count > 43, bytes[0] == 22, bytes[5] == 1 else { return nil }
        let start = 44 + Int(bytes[43])
        guard bytes.count > start + 2 else { return nil }
        let byteCount = Int(bytes[start]) << 8 | Int(bytes[start + 1])
        let list = bytes.dropFirst(start + 2).prefix(byteCount)
        guard list.count == byteCount else { return nil }
        return stride(from: list.startIndex, to: list.endIndex - 1, by: 2).map {
            UInt16(list[$0]) << 8 | UInt16(list[$0 + 1])
        }
    }
}

/// One server, and what becomes of a request to it.
struct BadSSLCase: Sendable, CustomTestStringConvertible {
    typealias Request = CertificateRequest

    enum Outcome: Equatable, Sendable {
        case taken
        case refused(URLError.Code)
    }

    /// What a server shows and what a session believes.
    struct Scene: Sendable {
        var own: CertificateShop.Item
        /// What is sent behind its own certificate.
        var sent: [CertificateShop.Item] = []
        var trusted: [CertificateShop.Item]
        /// Of `openssl s_server`.
        var options: [String] = []
    }

    let name: String
    var host = "localhost"
    let outcome: Outcome
    /// nil: As without one.
    var outcomeWithDelegate: Outcome?
    /// Whether libcurl before 8.1 accepts it, unless its distribution has fixed it (CVE-2023-28321).
    var isTakenByOldLibraries = false
    let build: @Sendable (CertificateShop) throws -> Scene

    var testDescription: String { name }

    func check(withDelegate: Bool) async throws {
        if isTakenByOldLibraries, !withDelegate, LibraryDefects.current.version < 0x08_01_00 {
            return
        }
        let shop = try CertificateShop()
        let scene = try build(shop)
        var options = scene.options
        if !scene.sent.isEmpty {
            options += ["-cert_chain", try shop.makeBundle(of: scene.sent).path]
        }
        // What is kept open counts among the connections of all sessions.
        let server = try TLSHost(scene.own, options, fields: ["Connection: close"])
        let file = try shop.makeBundle(of: scene.trusted)
        let session =
            withDelegate
            ? makeSession(SilentDelegate()) { $0.certificateAuthoritiesFile = file }
            : makeSession { $0.certificateAuthoritiesFile = file }
        defer { session.invalidateAndCancel() }
        let found: Outcome
        do {
            #expect(status(try await session.data(from: server.url(host: host)).1) == 200)
            found = .taken
        } catch let error as URLError {
            found = .refused(error.code)
            #expect(server.requestCount == 0)
        }
        #expect(found == (withDelegate ? outcomeWithDelegate ?? outcome : outcome))
    }

    // MARK: - Rows

    /// A certificate that a trusted authority has signed.
    private static func leaf(
        _ name: String, _ outcome: Outcome, _ request: Request = Request(),
        host: String = "localhost", withDelegate: Outcome? = nil, options: [String] = []
    ) -> BadSSLCase {
        BadSSLCase(
            name: name, host: host, outcome: outcome, outcomeWithDelegate: withDelegate
        ) { shop in
            let root = try shop.make(.authority("Root"))
            return Scene(own: try shop.make(request, by: root), trusted: [root], options: options)
        }
    }

    /// A certificate that an authority has signed which a trusted one has signed.
    private static func intermediate(
        _ name: String, _ outcome: Outcome, _ request: Request, leaf: Request = Request(),
        options: [String] = []
    ) -> BadSSLCase {
        BadSSLCase(name: name, outcome: outcome) { shop in
            let root = try shop.make(.authority("Root"))
            let middle = try shop.make(request, by: root)
            return Scene(
                own: try shop.make(leaf, by: middle), sent: [middle], trusted: [root],
                options: options)
        }
    }

    private static func wildcard(
        _ pattern: String, _ host: String, _ outcome: Outcome, isPartial: Bool = false
    ) -> BadSSLCase {
        var one = leaf(
            "\(pattern) for \(host)", outcome,
            Request(subject: "/CN=x", hosts: "DNS:" + pattern), host: host)
        one.isTakenByOldLibraries = isPartial
        return one
    }

    private static let untrusted = Outcome.refused(.serverCertificateUntrusted)
    private static let unknownRoot = Outcome.refused(.serverCertificateHasUnknownRoot)
    private static let badDate = Outcome.refused(.serverCertificateHasBadDate)
    private static let notYet = Outcome.refused(.serverCertificateNotYetValid)
    private static let failed = Outcome.refused(.secureConnectionFailed)

    /// A server that uses what this machine's own OpenSSL finds too weak.
    private static let anything = ["-cipher", "DEFAULT:@SECLEVEL=0"]

    private static func dated(_ from: String, _ until: String) -> Request {
        var request = Request.authority("Middle")
        request.from = from
        request.until = until
        return request
    }
}

// MARK: - The table

extension BadSSLCase {
    static let chains: [BadSSLCase] = [
        chain("a whole chain", .taken) { ($0.own, [$0.middle], [$0.root]) },
        chain("incomplete-chain", unknownRoot) { ($0.own, [], [$0.root]) },
        // Nothing fetches what is missing, unlike in browsers and on Apple's systems.
        BadSSLCase(name: "a chain whose missing part has an address", outcome: unknownRoot) {
            shop in
            let root = try shop.make(.authority("Root"))
            let middle = try shop.make(.authority("Middle"), by: root)
            let address = "authorityInfoAccess = caIssuers;URI:http://127.0.0.1:1/"
            return Scene(
                own: try shop.make(Request(extensions: [address]), by: middle), trusted: [root])
        },
        chain("reversed-chain", .taken) { ($0.own, [$0.root, $0.middle], [$0.root]) },
        chain("a chain with the same twice", .taken) {
            ($0.own, [$0.middle, $0.middle, $0.own], [$0.root])
        },
        chain("a chain with a stranger in it", .taken) {
            ($0.own, [$0.stranger, $0.middle], [$0.root])
        },
        chain("untrusted-root, which it sends", unknownRoot) {
            ($0.own, [$0.middle, $0.root], [$0.stranger])
        },
        chain("untrusted-root, which it keeps", unknownRoot) {
            ($0.own, [$0.middle], [$0.stranger])
        },
        // Whatever is in the file is trusted, authority or not.
        chain("an intermediate authority that is trusted itself", .taken) {
            ($0.own, [], [$0.middle])
        },
        chain("a certificate that is trusted itself", .taken) { ($0.own, [], [$0.own]) },
        BadSSLCase(name: "self-signed", outcome: untrusted) { shop in
            Scene(own: try shop.make(Request()), trusted: [try shop.make(.authority("Root"))])
        },
        BadSSLCase(name: "an authority of the same name with another key", outcome: unknownRoot) {
            shop in
            let own = try shop.make(Request(), by: try shop.make(.authority("Root")))
            return Scene(own: own, trusted: [try shop.make(.authority("Root"))])
        },
        // libcurl reads the first of OpenSSL's errors, which is about the signature and not about certificates.
        BadSSLCase(
            name: "a signature that is wrong",
            outcome: LibraryDefects.current.hidesWrongSignature ? failed : untrusted,
            outcomeWithDelegate: untrusted
        ) { shop in
            let root = try shop.make(.authority("Root"))
            return Scene(
                own: try shop.makeForgery(of: try shop.make(Request(), by: root)), trusted: [root])
        },
        leaf(
            "expired", badDate, Request(from: "20200101000000Z", until: "20200201000000Z")),
        leaf("not valid yet", notYet, Request(from: "20970101000000Z")),
        intermediate(
            "an expired intermediate authority", badDate,
            dated("20200101000000Z", "20200201000000Z")),
        intermediate(
            "an intermediate authority of the future", notYet,
            dated("20970101000000Z", "20980101000000Z")),
        // September 2021: what the new authority shows of the old one has expired, and it is trusted itself.
        BadSSLCase(name: "a cross-signature that has expired", outcome: .taken) { shop in
            let old = try shop.make(.authority("Old"))
            let new = try shop.make(.authority("New"))
            var crossed = Request.authority("New")
            crossed.reusedKey = new.key
            crossed.until = "20210930000000Z"
            let own = try shop.make(Request(), by: new)
            return Scene(own: own, sent: [try shop.make(crossed, by: old)], trusted: [new, old])
        },
    ]

    static let extensions: [BadSSLCase] = [
        intermediate(
            "an authority that is none", untrusted,
            Request(subject: "/CN=Middle", hosts: nil, isAuthority: false)),
        intermediate(
            "an authority that does not say so", untrusted,
            Request(
                subject: "/CN=Middle", hosts: nil, isAuthority: nil,
                extensions: ["subjectKeyIdentifier = hash"])),
        intermediate(
            "an authority that may not sign certificates", untrusted,
            .authority("Middle", ["keyUsage = critical, digitalSignature"])),
        intermediate(
            "an authority that may", .taken,
            .authority("Middle", ["keyUsage = critical, keyCertSign"])),
        intermediate(
            "an authority for no further ones", .taken,
            .authority("Middle", ["basicConstraints = critical, CA:TRUE, pathlen:0"])),
        BadSSLCase(name: "one authority more than the path may have", outcome: untrusted) { shop in
            let root = try shop.make(.authority("Root"))
            let first = try shop.make(
                .authority("First", ["basicConstraints = critical, CA:TRUE, pathlen:0"]), by: root)
            let second = try shop.make(.authority("Second"), by: first)
            let own = try shop.make(Request(), by: second)
            return Scene(own: own, sent: [second, first], trusted: [root])
        },
        intermediate(
            "an authority for this host", .taken,
            .authority("Middle", ["nameConstraints = critical, permitted;DNS:localhost"])),
        intermediate(
            "an authority for another host", untrusted,
            .authority("Middle", ["nameConstraints = critical, permitted;DNS:elsewhere.test"])),
        intermediate(
            "an authority for all hosts but this", untrusted,
            .authority("Middle", ["nameConstraints = critical, excluded;DNS:localhost"])),
        intermediate(
            "an authority for clients", untrusted,
            .authority("Middle", ["extendedKeyUsage = clientAuth"])),
        leaf("for servers", .taken, Request(extensions: ["extendedKeyUsage = serverAuth"])),
        leaf(
            "for clients and servers", .taken,
            Request(extensions: ["extendedKeyUsage = clientAuth, serverAuth"])),
        leaf(
            "for clients alone", untrusted, Request(extensions: ["extendedKeyUsage = clientAuth"])),
        leaf(
            "for signing code", untrusted, Request(extensions: ["extendedKeyUsage = codeSigning"])),
        // OpenSSL wants servers to be named.
        leaf(
            "for any purpose", untrusted,
            Request(extensions: ["extendedKeyUsage = anyExtendedKeyUsage"])),
        leaf(
            "a key for lists of what is revoked", untrusted,
            Request(extensions: ["keyUsage = critical, cRLSign"])),
        leaf(
            "a key for signatures", .taken,
            Request(extensions: ["keyUsage = critical, digitalSignature"])),
        // OpenSSL looks at this for TLS 1.2 alone, where its server finds no cipher for the key.
        leaf(
            "a key that may not sign", .taken,
            Request(extensions: ["keyUsage = critical, keyEncipherment"])),
        leaf(
            "a critical extension nobody knows", untrusted,
            Request(extensions: ["1.2.3.4 = critical, DER:0500"])),
        leaf("an extension nobody knows", .taken, Request(extensions: ["1.2.3.4 = DER:0500"])),
        // Not checked: nobody asks the authority, and no list is read. A delegate may do both.
        leaf(
            "revoked", .taken,
            Request(
                extensions: [
                    "crlDistributionPoints = URI:http://127.0.0.1:1/list",
                    "authorityInfoAccess = OCSP;URI:http://127.0.0.1:1/",
                ])),
        // Not checked either: OpenSSL does not look at this extension.
        leaf(
            "must-staple without a staple", .taken,
            Request(extensions: ["tlsfeature = status_request"])),
        // No certificate here has signed timestamps (RFC 6962): as with `no-sct`, all are taken without.
    ]

    static let names: [BadSSLCase] = [
        leaf("wrong.host", untrusted, Request(hosts: "DNS:elsewhere.test")),
        leaf("in capitals", .taken, Request(subject: "/CN=x", hosts: "DNS:LOCALHOST")),
        // RFC 9525 and Apple's systems refuse a name that is in the subject alone; libcurl and OpenSSL do not.
        leaf("no-san", .taken, Request(hosts: nil)),
        leaf("no-san with another name", untrusted, Request(subject: "/CN=x", hosts: nil)),
        leaf(
            "the subject is not asked when there are names", untrusted,
            Request(hosts: "DNS:elsewhere.test")),
        leaf("nor when there are addresses", untrusted, Request(hosts: "IP:127.0.0.1")),
        leaf(
            "a mail address is no name", untrusted,
            Request(subject: "/CN=x", hosts: "email:post@localhost")),
        leaf("no-subject", .taken, Request(subject: "/", hosts: "critical, DNS:localhost")),
        leaf("no-common-name", .taken, Request(subject: "/O=House")),
        leaf("no name anywhere", untrusted, Request(subject: "/O=House", hosts: nil)),
        leaf(
            "a name with a zero in it", untrusted,
            Request(
                subject: "/CN=x",
                // "localhost\0foo.bar": what C reads of it is the host's name.
                hosts: "DER:301382116c6f63616c686f737400666f6f2e626172")),
        leaf("an address", .taken, Request(hosts: "IP:127.0.0.1"), host: "127.0.0.1"),
        leaf("another address", untrusted, Request(hosts: "IP:127.0.0.2"), host: "127.0.0.1"),
        leaf(
            "an address as a name", untrusted,
            Request(subject: "/CN=x", hosts: "DNS:127.0.0.1"), host: "127.0.0.1"),
        // libcurl compares it as if it were a name.
        leaf(
            "an address as the subject", .taken,
            Request(subject: "/CN=127.0.0.1", hosts: nil), host: "127.0.0.1",
            withDelegate: untrusted),
        wildcard("*.host.localhost", "a.host.localhost", .taken),
        wildcard("*.host.localhost", "a.b.host.localhost", untrusted),
        wildcard("*.host.localhost", "host.localhost", untrusted),
        wildcard("*.localhost", "a.localhost", untrusted), wildcard("*", "localhost", untrusted),
        wildcard("*.*.localhost", "a.b.localhost", untrusted),
        wildcard("a.*.localhost", "a.b.localhost", untrusted),
        wildcard("a*.host.localhost", "abc.host.localhost", untrusted, isPartial: true),
        wildcard("*c.host.localhost", "abc.host.localhost", untrusted, isPartial: true),
        wildcard("a*c.host.localhost", "abc.host.localhost", untrusted, isPartial: true),
        wildcard(".host.localhost", "a.host.localhost", untrusted),
        wildcard("xn--n1aae7f7o.host.localhost", "xn--n1aae7f7o.host.localhost", .taken),
        wildcard("*.host.localhost", "xn--n1aae7f7o.host.localhost", .taken),
        wildcard(
            "xn--*.host.localhost", "xn--n1aae7f7o.host.localhost", untrusted, isPartial: true),
        leaf("1000-sans", .taken, Request(subject: "/CN=x", hosts: manyNames(1_000))),
        leaf("3,000 names", .taken, Request(subject: "/CN=x", hosts: manyNames(3_000))),
        // OpenSSL reads no more than 100 KiB of certificates.
        leaf("10000-sans", failed, Request(subject: "/CN=x", hosts: manyNames(10_000))),
    ]

    static let strengths: [BadSSLCase] = [
        leaf("rsa512", untrusted, Request(key: .rsa(bits: 512)), options: anything + ["-tls1_2"]),
        leaf("rsa768", untrusted, Request(key: .rsa(bits: 768)), options: anything + ["-tls1_2"]),
        leaf("rsa1024", untrusted, Request(key: .rsa(bits: 1024)), options: anything),
        leaf("rsa2048", .taken, Request(key: .rsa(bits: 2048))),
        leaf("rsa4096", .taken, Request(key: .rsa(bits: 4096))),
        leaf("ecc256", .taken), leaf("ecc384", .taken, Request(key: .curve("secp384r1"))),
        leaf("P-521", .taken, Request(key: .curve("secp521r1"))),
        leaf("Ed25519", .taken, Request(key: .ed25519)),
        // Curves that are not offered, so that a server has nothing to show.
        leaf("P-192", failed, Request(key: .curve("prime192v1")), options: anything),
        leaf("P-224", failed, Request(key: .curve("secp224r1"))),
        leaf("secp256k1", failed, Request(key: .curve("secp256k1"))),
        intermediate(
            "an intermediate authority with RSA 1024", untrusted,
            .authority("Middle", key: .rsa(bits: 1024)), options: anything),
        BadSSLCase(name: "an authority with RSA 1024", outcome: untrusted) { shop in
            let root = try shop.make(.authority("Root", key: .rsa(bits: 1024)))
            return Scene(own: try shop.make(Request(), by: root), trusted: [root])
        },
        BadSSLCase(name: "md5", outcome: untrusted) { shop in
            let root = try shop.make(.authority("Root", key: .rsa(bits: 2048)))
            return Scene(
                own: try shop.make(Request(digest: "md5"), by: root), trusted: [root],
                options: anything)
        },
        // `sha1-2016` and `sha1-2017` differ by when they expire.
        leaf("sha1", untrusted, Request(digest: "sha1"), options: anything),
        leaf("sha256", .taken), leaf("sha384", .taken, Request(digest: "sha384")),
        leaf("sha512", .taken, Request(digest: "sha512")),
        intermediate(
            "sha1-intermediate", untrusted, .authority("Middle", digest: "sha1"), options: anything),
        // Nobody checks what an authority signs for itself.
        BadSSLCase(name: "an authority that signed itself with SHA-1", outcome: .taken) { shop in
            let root = try shop.make(.authority("Root", digest: "sha1"))
            return Scene(own: try shop.make(Request(), by: root), trusted: [root])
        },
    ]

    static let protocols: [BadSSLCase] = [
        leaf("tls-v1-0", failed, options: anything + ["-tls1"]),
        leaf("tls-v1-1", failed, options: anything + ["-tls1_1"]),
        leaf("tls-v1-2", .taken, options: ["-tls1_2"]),
        leaf("TLS 1.3", .taken, options: ["-tls1_3"]),
        cipher("null", failed, "NULL-SHA256"), cipher("null with SHA-1", failed, "NULL-SHA"),
        cipher("null behind ECDHE", failed, "ECDHE-RSA-NULL-SHA"),
        cipher("anonymous", failed, "AECDH-AES128-SHA"),
        // Old, and not broken: OpenSSL still offers these.
        cipher("cbc", .taken, "ECDHE-RSA-AES128-SHA"),
        cipher("static-rsa", .taken, "AES128-GCM-SHA256"),
        cipher("static-rsa with CBC", .taken, "AES128-SHA"),
        cipher("mozilla-modern", .taken, "ECDHE-RSA-AES128-GCM-SHA256"),
        cipher("dh2048", .taken, "DHE-RSA-AES128-GCM-SHA256"),
        // OpenSSL's own server refuses `dh480` and `dh512`.
        diffieHellman("dh1024", failed, byteCount: 128),
        // As with `dh-composite` and `dh-small-subgroup`: no client of OpenSSL's looks whether it is a prime.
        diffieHellman("dh-composite", .taken, byteCount: 256),
    ]

    private static func cipher(_ name: String, _ outcome: Outcome, _ cipher: String) -> BadSSLCase {
        leaf(
            name, outcome, Request(key: .rsa(bits: 2048)),
            options: ["-tls1_2", "-cipher", cipher + ":@SECLEVEL=0"])
    }

    private static func diffieHellman(
        _ name: String, _ outcome: Outcome, byteCount: Int
    ) -> BadSSLCase {
        BadSSLCase(name: name, outcome: outcome) { shop in
            let root = try shop.make(.authority("Root"))
            let file = try shop.makeDiffieHellman(String(repeating: "C3", count: byteCount))
            return Scene(
                own: try shop.make(Request(key: .rsa(bits: 2048)), by: root), trusted: [root],
                options: [
                    "-tls1_2", "-cipher", "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", "-dhparam",
                    file.path,
                ])
        }
    }

    private static func manyNames(_ count: Int) -> String {
        ((2...count).map { "DNS:san\($0).localhost" } + ["DNS:localhost"]).joined(separator: ",")
    }

    /// A chain of three, and an authority beside it.
    struct Family: Sendable {
        let root: CertificateShop.Item
        let middle: CertificateShop.Item
        let own: CertificateShop.Item
        let stranger: CertificateShop.Item
    }

    private static func chain(
        _ name: String, _ outcome: Outcome,
        _ pick:
            @escaping @Sendable (Family) -> (
                CertificateShop.Item, [CertificateShop.Item], [CertificateShop.Item]
            )
    ) -> BadSSLCase {
        BadSSLCase(name: name, outcome: outcome) { shop in
            let root = try shop.make(.authority("Root"))
            let middle = try shop.make(.authority("Middle"), by: root)
            let (own, sent, trusted) = pick(
                Family(
                    root: root, middle: middle, own: try shop.make(Request(), by: middle),
                    stranger: try shop.make(.authority("Stranger"))))
            return Scene(own: own, sent: sent, trusted: trusted)
        }
    }
}

/// A server's first answer in TLS 1.2, with a choice that was not among those offered.
struct HandmadeServerHello: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]

    var testDescription: String { name }

    static let all = [
        choosing("rc4-md5", suite: 0x0004), choosing("rc4", suite: 0x0005),
        choosing("rc4 behind ECDHE", suite: 0xC011), choosing("3des", suite: 0x000A),
        choosing("3des behind ECDHE", suite: 0xC012), choosing("des", suite: 0x0009),
        choosing("export", suite: 0x0003), choosing("null", suite: 0x003B),
        choosing("anonymous", suite: 0x0034), choosing("no suite of anybody's", suite: 0x1AEE),
        choosing("ssl-v3", version: 0x0300), choosing("tls-v1-0", version: 0x0301),
        choosing("tls-v1-1", version: 0x0302), choosing("a version of nobody's", version: 0x0399),
        choosing("compression", compression: 1),
        HandmadeServerHello(
            name: "ssl-v2",
            bytes: [0x80, 0x0B, 4, 0, 1, 0, 2, 0, 0, 0, 3, 0, 0]),
        // What a server answers that speaks nothing else than one of these.
        HandmadeServerHello(name: "handshake_failure", bytes: [21, 3, 3, 0, 2, 2, 40]),
        HandmadeServerHello(name: "insufficient_security", bytes: [21, 3, 3, 0, 2, 2, 71]),
        HandmadeServerHello(name: "protocol_version", bytes: [21, 3, 1, 0, 2, 2, 70]),
        HandmadeServerHello(name: "unrecognized_name", bytes: [21, 3, 3, 0, 2, 2, 112]),
    ]

    private static func choosing(
        _ name: String, suite: UInt16 = 0xC02F, version: UInt16 = 0x0303, compression: UInt8 = 0
    ) -> HandmadeServerHello {
        let (high, low) = (UInt8(version >> 8), UInt8(version & 0xFF))
        let body =
            [high, low] + [UInt8](repeating: 7, count: 32)
            + [0, UInt8(suite >> 8), UInt8(suite & 0xFF), compression]
        let message = [2, 0, 0, UInt8(body.count)] + body
        return HandmadeServerHello(
            name: name, bytes: [22, 3, 3, 0, UInt8(message.count)] + message)
    }
}
