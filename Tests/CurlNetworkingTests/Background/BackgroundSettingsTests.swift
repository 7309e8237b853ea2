import Foundation
import TestSupport
import Testing

@testable import CurlNetworking

/// What the helper uses of a configuration.
@Suite(.timeLimit(.minutes(2))) struct BackgroundSettingsTests {
    @Test func aBackgroundConfigurationHasNoCache() {
        #expect(URLSessionConfiguration.background(withIdentifier: "test").urlCache == nil)
        #expect(URLSessionConfiguration.default.urlCache === URLCache.shared)
    }

    @Test func allThatIsPlainComesThrough() throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: "test")
        configuration.httpAdditionalHeaders = ["A": "b"]
        configuration.timeoutIntervalForRequest = 3
        configuration.httpMaximumConnectionsPerHost = 2
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        configuration.tlsMaximumSupportedProtocolVersion = .TLSv13
        configuration.certificateAuthoritiesFile = URL(filePath: "roots.pem")
        configuration.unixSocketPath = "sockets/one"
        configuration.connectionProxyDictionary = [
            kCFNetworkProxiesHTTPSProxy: "proxy.test", kCFNetworkProxiesHTTPSPort: 3128,
            kCFProxyUsernameKey: "ada", kCFProxyPasswordKey: "pw",
            kCFNetworkProxiesExceptionsList: ["*.a.test"],
        ]
        configuration.allowsExpensiveNetworkAccess = false
        let settings = BackgroundSettings(configuration.snapshot)
        let data = try JSONEncoder().encode(settings)
        let made = try JSONDecoder().decode(BackgroundSettings.self, from: data)
            .makeConfiguration()
        let folder = FileManager.default.currentDirectoryPath
        #expect(made.httpAdditionalHeaders as? [String: String] == ["A": "b"])
        #expect(made.timeoutIntervalForRequest == 3)
        #expect(made.httpMaximumConnectionsPerHost == 2)
        #expect(made.tlsMinimumSupportedProtocolVersion == .TLSv13)
        #expect(made.tlsMaximumSupportedProtocolVersion == .TLSv13)
        // The helper is in another folder.
        #expect(made.certificateAuthoritiesFile?.path == folder + "/roots.pem")
        #expect(made.unixSocketPath == folder + "/sockets/one")
        #expect(made.snapshot.proxies == configuration.snapshot.proxies)
        #expect(!made.allowsExpensiveNetworkAccess)
    }

    @Test func aRecordFromBeforeProxiesAndVersionsIsUnderstood() throws {
        let settings = BackgroundSettings(SessionSettings())
        var fields = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(settings)) as? [String: Any])
        for name in ["proxies", "oldestTLS", "newestTLS"] { fields[name] = nil }
        let old = try JSONDecoder().decode(
            BackgroundSettings.self, from: JSONSerialization.data(withJSONObject: fields))
        #expect(old.isSound)
        let made = old.makeConfiguration()
        #expect(made.tlsMinimumSupportedProtocolVersion == .TLSv12)
        #expect(made.connectionProxyDictionary == nil)
    }

    @Test func permanentCredentialsOfTheHostAndItsProxiesGoAlong() throws {
        let storage = URLCredentialStorage()
        func space(_ host: String, _ method: String) -> URLProtectionSpace {
            URLProtectionSpace(
                host: host, port: 443, protocol: "https", realm: nil, authenticationMethod: method)
        }
        let basic = NSURLAuthenticationMethodHTTPBasic
        let wanted = URLCredential(user: "ada", password: "1", persistence: .permanent)
        storage.set(
            URLCredential(user: "bob", password: "2", persistence: .permanent),
            for: space("a.test", basic))
        storage.setDefaultCredential(wanted, for: space("a.test", basic))
        storage.set(wanted, for: space("b.test", basic))
        storage.set(
            URLCredential(user: "ada", password: "3", persistence: .forSession),
            for: space("a.test", NSURLAuthenticationMethodHTTPDigest))
        let identity = ClientIdentity(
            .pem(certificate: URL(filePath: "/c"), key: URL(filePath: "/k")), passphrase: "p")
        storage.set(
            URLCredential(identity: identity, persistence: .permanent),
            for: space("a.test", NSURLAuthenticationMethodClientCertificate))
        let proxy = URLProtectionSpace(
            proxyHost: "proxy.test", port: 3128, type: NSURLProtectionSpaceHTTPSProxy, realm: "p",
            authenticationMethod: basic)
        storage.set(wanted, for: proxy)
        let configuration = URLSessionConfiguration.background(withIdentifier: "test")
        configuration.connectionProxyDictionary = [kCFNetworkProxiesHTTPSProxy: "proxy.test"]
        let request = URLRequest(url: try #require(URL(string: "https://A.test/x")))
        let settings = BackgroundSettings(configuration.snapshot).with(storage, for: request)
        #expect(settings == BackgroundSettings(configuration.snapshot).with(storage, for: request))
        let carried = try #require(settings.makeConfiguration().urlCredentialStorage)
        #expect(carried.allCredentials.count == 3)
        #expect(carried.credentials(for: space("a.test", basic))?.keys.sorted() == ["ada", "bob"])
        #expect(carried.defaultCredential(for: space("a.test", basic)) == wanted)
        #expect(carried.defaultCredential(for: proxy) == wanted)
        let certificates = space("a.test", NSURLAuthenticationMethodClientCertificate)
        #expect(carried.defaultCredential(for: certificates)?.identity == identity)
    }

    @Test func theHelperGoesThroughTheProxyAndLogsIn() async throws {
        let home = try BackgroundHome()
        let proxy = try LoopbackServer { request in
            request["Proxy-Authorization"] == "Basic YWRhOnB3"
                ? [.answer(body: "proxied")]
                : [.answer("407 No", ["Proxy-Authenticate: Basic realm=p"], body: "no")]
        }
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) {
            $0.connectionProxyDictionary = [
                kCFNetworkProxiesHTTPProxy: "127.0.0.1",
                kCFNetworkProxiesHTTPPort: Int(proxy.port), kCFProxyUsernameKey: "ada",
                kCFProxyPasswordKey: "pw",
            ]
        }
        session.downloadTask(with: try #require(URL(string: "http://a.test/b"))).resume()
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data("proxied".utf8)])
        #expect(proxy.requests.first?.head.hasPrefix("GET http://a.test/b HTTP/1.1\r\n") == true)
    }

    @Test(.enabled(if: OpenSSLCommand.isInstalled), arguments: [true, false])
    func theHelperKeepsToTheVersionsAndAuthorities(isAllowed: Bool) async throws {
        let home = try BackgroundHome()
        let shop = try CertificateShop()
        let item = try shop.make()
        let host = try TLSHost(item, ["-tls1_2"])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate) {
            $0.certificateAuthoritiesFile = item.file
            if !isAllowed { $0.tlsMinimumSupportedProtocolVersion = .TLSv13 }
        }
        session.downloadTask(with: host.url()).resume()
        await delegate.completion()
        #expect(delegate.error?.code == (isAllowed ? nil : .secureConnectionFailed))
        #expect(delegate.snapshot.files == (isAllowed ? [Data("in".utf8)] : []))
    }

    @Test(.enabled(if: OpenSSLCommand.isInstalled))
    func aPermanentClientCertificateIsPresentedWhenNobodyIsThere() async throws {
        let home = try BackgroundHome()
        let shop = try CertificateShop()
        let server = try shop.make()
        let authority = try shop.make("Clients", isAuthority: true)
        let client = try shop.make("ada", hosts: "email:ada@a.test", by: authority)
        // The port is known, and nobody there, until the program has gone.
        let place = try ReservedPort()
        let port = Int(place.number)
        let url = try #require(URL(string: "https://localhost:\(port)/"))
        let storage = URLCredentialStorage()
        storage.set(
            URLCredential(
                identity: ClientIdentity(
                    .pem(certificate: client.file, key: URL(filePath: client.key))),
                persistence: .permanent),
            for: URLProtectionSpace(
                host: "localhost", port: port, protocol: "https", realm: nil,
                authenticationMethod: NSURLAuthenticationMethodClientCertificate))
        let configuration = home.configuration()
        configuration.certificateAuthoritiesFile = server.file
        configuration.urlCredentialStorage = storage
        let first = URLSession(
            configuration: configuration, delegate: RecordingDelegate(), delegateQueue: nil)
        first.downloadTask(with: url).resume()
        await first.background?.calm()
        await first.background?.abandon()
        let guarded = try TLSHost(
            server, at: place,
            ["-Verify", "2", "-verify_return_error", "-CAfile", authority.certificate])
        let delegate = RecordingDelegate()
        let session = home.session("test", delegate)
        await delegate.completion()
        #expect(delegate.error == nil)
        #expect(delegate.snapshot.files == [Data("in".utf8)])
        #expect(guarded.requestCount == 1)
        _ = session
    }
}
