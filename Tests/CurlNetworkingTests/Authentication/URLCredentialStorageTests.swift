import Foundation
import Testing

@testable import CurlNetworking

@Suite struct URLCredentialStorageTests {
    private let space = URLProtectionSpace(
        host: "a.test", port: 80, protocol: NSURLProtectionSpaceHTTP, realm: "r",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    private let ada = URLCredential(user: "ada", password: "geheim", persistence: .permanent)
    private let bob = URLCredential(user: "bob", password: "b", persistence: .forSession)

    @Test func keepsCredentialsBySpaceAndUser() {
        let storage = URLCredentialStorage()
        #expect(storage.credentials(for: space) == nil)
        storage.set(ada, for: space)
        storage.set(bob, for: space)
        #expect(storage.credentials(for: space) == ["ada": ada, "bob": bob])
        #expect(storage.defaultCredential(for: space) == ada)
        storage.setDefaultCredential(bob, for: space)
        #expect(storage.defaultCredential(for: space) == bob)
        storage.remove(bob, for: space)
        #expect(storage.defaultCredential(for: space) == nil)
        #expect(storage.allCredentials == [space: ["ada": ada]])
        storage.remove(ada, for: space)
        #expect(storage.allCredentials.isEmpty)
    }

    @Test func doesNotKeepWhatIsForOneTask() {
        let storage = URLCredentialStorage()
        storage.set(URLCredential(user: "u", password: "p", persistence: .none), for: space)
        storage.setDefaultCredential(
            URLCredential(user: "u", password: "p", persistence: .none), for: space)
        #expect(storage.credentials(for: space) == nil)
    }

    @Test func spacesAreToldApart() {
        let make = { (host: String, port: Int, scheme: String, realm: String?, method: String) in
            URLProtectionSpace(
                host: host, port: port, protocol: scheme, realm: realm, authenticationMethod: method
            )
        }
        let basic = NSURLAuthenticationMethodHTTPBasic
        #expect(make("A.test", 80, "http", "r", basic) == space)
        #expect(make("A.test", 80, "http", "r", basic).hashValue == space.hashValue)
        #expect(make("b.test", 80, "http", "r", basic) != space)
        #expect(make("a.test", 81, "http", "r", basic) != space)
        #expect(make("a.test", 80, "https", "r", basic) != space)
        #expect(make("a.test", 80, "http", nil, basic) != space)
        #expect(make("a.test", 80, "http", "r", NSURLAuthenticationMethodHTTPDigest) != space)
        let proxy = URLProtectionSpace(
            proxyHost: "a.test", port: 80, type: nil, realm: "r", authenticationMethod: basic)
        #expect(proxy != space)
        #expect(proxy.isProxy())
        #expect(!space.isProxy())
        #expect(!space.receivesCredentialSecurely)
        #expect(make("a.test", 80, "https", "r", basic).receivesCredentialSecurely)
    }

    @Test func keepsPermanentCredentialsInItsFileAlone() throws {
        let folder = try ScratchFolder()
        let storage = try URLCredentialStorage(file: folder.url(of: "credentials"))
        #expect(folder.names.isEmpty)
        storage.set(bob, for: space)
        #expect(folder.names.isEmpty)
        storage.set(ada, for: space)
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: folder.path(of: "credentials"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(folder.names == ["credentials"])
        let again = try URLCredentialStorage(file: folder.url(of: "credentials"))
        #expect(again.credentials(for: space) == ["ada": ada])
        #expect(again.defaultCredential(for: space) == ada)
        again.remove(ada, for: space)
        #expect(
            try URLCredentialStorage(file: folder.url(of: "credentials")).allCredentials.isEmpty)
    }

    @Test func movesADamagedFileAside() throws {
        let folder = try ScratchFolder()
        let file = folder.url(of: "credentials")
        try URLCredentialStorage(file: file).set(ada, for: space)
        var data = try #require(folder.get("credentials"))
        data[data.count / 2] ^= 1
        try folder.put(data, "credentials")
        #expect(try URLCredentialStorage(file: file).allCredentials.isEmpty)
        #expect(folder.names == ["credentials.damaged"])
    }

    @Test(arguments: [0o644, 0o660, 0o604])
    func refusesAFileOthersCanRead(mode: Int) throws {
        let folder = try ScratchFolder()
        try folder.put(Data(), "credentials", mode: mode)
        #expect(throws: URLError(.noPermissionsToReadFile)) {
            try URLCredentialStorage(file: folder.url(of: "credentials"))
        }
    }

    @Test func followsNoLink() throws {
        let folder = try ScratchFolder()
        try folder.put(Data(), "elsewhere")
        try folder.link("credentials", to: folder.path(of: "elsewhere"))
        #expect(throws: URLError(.cannotOpenFile)) {
            try URLCredentialStorage(file: folder.url(of: "credentials"))
        }
    }
}
