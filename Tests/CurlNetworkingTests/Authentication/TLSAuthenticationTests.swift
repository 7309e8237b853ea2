import Foundation
import Testing

@testable import CurlNetworking

@Suite struct TLSAuthenticationTests {
    private let url = URL(string: "https://localhost:8443/x")

    // MARK: - Whom to believe

    @Test func readsWhatACertificateSays() throws {
        let trust = try makeTrust(verificationResult: 18)
        let certificate = try #require(trust.certificates.first)
        #expect(certificate.subject == "CN=localhost,O=Haus & Söhne\\, KG")
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.isSelfIssued)
        #expect(certificate.serialNumber == "1234")
        #expect(certificate.hosts == ["localhost", "*.club.test", "127.0.0.1", "::1"])
        #expect(certificate.notValidBefore == Date(timeIntervalSince1970: 1_577_836_800))
        #expect(certificate.notValidAfter == Date(timeIntervalSince1970: 4_102_444_800))
        #expect(certificate.fingerprint == Sample.fingerprint)
        #expect(certificate.publicKeySHA256.base64EncodedString() == Sample.publicKeyPin)
        #expect(trust.failureReason == "self-signed certificate")
        #expect(!trust.isTrusted)
    }

    @Test(
        arguments: [
            ("localhost", true), ("LOCALHOST", true), ("a.club.test", true), ("club.test", false),
            ("a.b.club.test", false), ("127.0.0.1", true), ("127.0.0.2", false), ("::1", true),
            ("", false),
        ])
    func knowsWhichHostsItIsFor(host: String, isFor: Bool) throws {
        #expect(try makeTrust(verificationResult: 0).isFor(host: host) == isFor)
    }

    @Test func whatIsNoCertificateIsNone() {
        let der = Sample.der
        for end in stride(from: 0, to: der.count, by: 7) {
            #expect(ServerCertificate(derEncoded: der.prefix(end)) == nil)
        }
        #expect(ServerCertificate(derEncoded: der + [0]) == nil)
        #expect(ServerCertificate(derEncoded: Data(repeating: 0x30, count: 100)) == nil)
    }

    @Test func anyChangedByteIsSurvived() {
        for index in Sample.der.indices {
            var der = Sample.der
            der[index] ^= 0xFF
            _ = ServerCertificate(derEncoded: der)
        }
    }

    @Test(
        arguments: [
            (URLSession.AuthChallengeDisposition.performDefaultHandling, 0, "trust"),
            (.performDefaultHandling, 18, "fail -1202"),
            (.performDefaultHandling, 10, "fail -1201"),
            (.performDefaultHandling, 9, "fail -1204"), (.performDefaultHandling, 20, "fail -1203"),
            (.performDefaultHandling, 62, "fail -1202"), (.useCredential, 18, "trust"),
            (.useCredential, 0, "trust"), (.cancelAuthenticationChallenge, 0, "fail -999"),
            (.cancelAuthenticationChallenge, 18, "fail -999"),
            (.rejectProtectionSpace, 0, "fail -1202"), (.rejectProtectionSpace, 10, "fail -1201"),
        ])
    func doesWhatTheDelegateSays(
        disposition: URLSession.AuthChallengeDisposition, verificationResult: Int, expected: String
    ) throws {
        let url = try #require(url)
        var state = AuthenticationState(for: url)
        let trust = try makeTrust(verificationResult: verificationResult)
        let challenge = try #require(question(state.take(trust, from: url)))
        #expect(
            challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust)
        #expect(challenge.protectionSpace.serverTrust == trust)
        #expect(challenge.protectionSpace.port == 8443)
        let presented = try #require(challenge.protectionSpace.serverTrust)
        let action = state.answer(disposition, URLCredential(trust: presented))
        #expect(render(action) == expected)
    }

    @Test func aCredentialForSomethingElseTrustsNobody() throws {
        let url = try #require(url)
        var state = AuthenticationState(for: url)
        _ = state.take(try makeTrust(verificationResult: 18), from: url)
        let password = URLCredential(user: "u", password: "p", persistence: .none)
        #expect(render(state.answer(.useCredential, password)) == "fail -1202")
    }

    @Test func aServerThatWasBelievedIsNotAskedAboutAgain() throws {
        let url = try #require(url)
        var state = AuthenticationState(for: url)
        let trust = try makeTrust(verificationResult: 18)
        _ = state.take(trust, from: url)
        _ = state.answer(.useCredential, URLCredential(trust: trust))
        #expect(render(state.take(trust, from: url)) == "trust")
        let elsewhere = try #require(URL(string: "https://localhost:8444/"))
        #expect(render(state.take(trust, from: elsewhere)) == "ask")
    }

    @Test func aServerWithoutCertificatesIsRefused() throws {
        let url = try #require(url)
        var state = AuthenticationState(for: url)
        let trust = ServerTrust(
            host: "localhost", chain: [Data("junk".utf8)], verificationResult: 0)
        #expect(!trust.isTrusted)
        #expect(render(state.take(trust, from: url)) == "fail -1202")
    }

    // MARK: - Client certificates

    /// `CN=House`, in DER.
    private let house = Data([
        0x30, 0x10, 0x31, 0x0E, 0x30, 0x0C, 0x06, 0x03, 0x55, 0x04, 0x03, 0x0C, 0x05, 0x48, 0x6F,
        0x75,
        0x73, 0x65,
    ])

    @Test func presentsTheCertificateItIsGiven() throws {
        let url = try #require(url)
        var state = AuthenticationState(for: url)
        let action = state.take(clientCertificateFrom: [house], at: url, storage: nil)
        let challenge = try #require(question(action))
        #expect(challenge.protectionSpace.distinguishedNames == [house])
        #expect(challenge.protectionSpace.distinguishedNameTexts == ["CN=House"])
        let identity = ClientIdentity(.pkcs12(URL(filePath: "/x.p12")), passphrase: "secret")
        let credential = URLCredential(identity: identity, persistence: .none)
        #expect(render(state.answer(.useCredential, credential)) == "present")
        #expect(state.identity(for: url) == identity)
        #expect(state.identity(for: try #require(URL(string: "https://other.test/"))) == nil)
    }

    @Test(
        arguments: [
            (URLSession.AuthChallengeDisposition.performDefaultHandling, "present none"),
            (.useCredential, "present none"), (.rejectProtectionSpace, "present none"),
            (.cancelAuthenticationChallenge, "fail -999"),
        ])
    func goesOnWithoutACertificate(
        disposition: URLSession.AuthChallengeDisposition, expected: String
    ) throws {
        let url = try #require(url)
        var state = AuthenticationState(for: url)
        _ = state.take(clientCertificateFrom: [], at: url, storage: nil)
        #expect(render(state.answer(disposition, nil)) == expected)
    }

    @Test func secretsAreNotPrinted() {
        let identity = ClientIdentity(.pkcs12(URL(filePath: "/x.p12")), passphrase: "geheim")
        var text = ""
        dump(identity, to: &text)
        dump(URLCredential(identity: identity, persistence: .none), to: &text)
        dump(URLCredential(user: "u", password: "geheim", persistence: .none), to: &text)
        text += "\(identity) \(URLCredential(user: "u", password: "geheim", persistence: .none))"
        text += String(reflecting: URLCredential(user: "u", password: "geheim", persistence: .none))
        #expect(!text.contains("geheim"))
    }

    private func makeTrust(verificationResult: Int) throws -> ServerTrust {
        ServerTrust(host: "localhost", chain: [Sample.der], verificationResult: verificationResult)
    }

    private func question(_ action: AuthenticationAction) -> URLAuthenticationChallenge? {
        if case .ask(let challenge, .session) = action { challenge } else { nil }
    }

    private func render(_ action: AuthenticationAction) -> String {
        switch action {
        case .deliver: "deliver"
        case .retry: "retry"
        case .ask: "ask"
        case .trust: "trust"
        case .present: "present"
        case .presentNone: "present none"
        case .fail(let error): "fail \(error.errorCode)"
        }
    }
}
