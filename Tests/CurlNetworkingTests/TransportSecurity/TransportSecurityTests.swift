import Foundation
import Testing

@testable import CurlNetworking

/// RFC 6797, without a socket.
@Suite struct TransportSecurityTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(
        arguments: [
            ("max-age=31536000", 31_536_000, false), ("max-age=0", 0, false),
            ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
            ("max-age=\"31536000\"", 31_536_000, false), ("MAX-AGE=1; INCLUDESUBDOMAINS", 1, true),
            ("includeSubDomains; max-age=1;", 1, true), (";; max-age=1 ;", 1, false),
            // What is not known yet does no harm.
            ("max-age=1; preload; later=\"x\"", 1, false),
            // The first of several fields counts.
            ("max-age=1, max-age=2; includeSubDomains", 1, false),
            ("max-age=99999999999999999999999999", 100 * 365 * 86_400, false),
        ] as [(String, Double, Bool)])
    func reads(field: String, age: Double, includesSubdomains: Bool) throws {
        let policy = try #require(StrictTransportSecurity(field))
        #expect(policy.maximumAge == age)
        #expect(policy.includesSubdomains == includesSubdomains)
    }

    @Test(arguments: [
        "", "max-age", "max-age=", "max-age=-1", "max-age=1.5", "max-age=1; max-age=1",
        "includeSubDomains", "max-age=1; includeSubDomains=1", "max-age=\"1", "=1; max-age=1",
        "max-age=1; includeSubDomains; includesubdomains",
    ])
    func ignores(field: String) {
        #expect(StrictTransportSecurity(field) == nil)
    }

    private func hosts(_ field: String, from host: String = "a.test") throws
        -> TransportSecurityHosts
    {
        var hosts = TransportSecurityHosts()
        hosts.note(try #require(StrictTransportSecurity(field)), from: host, at: now)
        return hosts
    }

    @Test(arguments: [
        ("a.test", true, true), ("A.Test", true, true), ("a.test.", true, true),
        ("b.a.test", false, true), ("c.b.a.test", false, true), ("ba.test", false, false),
        ("test", false, false), ("xa.test", false, false),
    ])
    func findsHostsAndWhatIsBelowThem(host: String, alone: Bool, below: Bool) throws {
        #expect(try hosts("max-age=60").requiresTLS(host, at: now) == alone)
        #expect(try hosts("max-age=60; includeSubDomains").requiresTLS(host, at: now) == below)
    }

    @Test func aHostOfItsOwnDoesNotHideTheOneAbove() throws {
        var hosts = try hosts("max-age=60; includeSubDomains")
        hosts.note(try #require(StrictTransportSecurity("max-age=0")), from: "b.a.test", at: now)
        #expect(hosts.requiresTLS("b.a.test", at: now))
    }

    @Test func forgetsAfterItsTimeAndWhenToldTo() throws {
        var hosts = try hosts("max-age=60")
        #expect(hosts.requiresTLS("a.test", at: now + 59))
        #expect(!hosts.requiresTLS("a.test", at: now + 61))
        hosts.note(try #require(StrictTransportSecurity("max-age=0")), from: "a.test", at: now)
        #expect(!hosts.requiresTLS("a.test", at: now))
        #expect(hosts.all(at: now).isEmpty)
    }

    @Test(arguments: ["127.0.0.1", "[::1]", "192.0.2.7"])
    func neverTakesAnAddress(host: String) throws {
        let hosts = try hosts("max-age=60; includeSubDomains", from: host)
        #expect(hosts.all(at: now).isEmpty)
        #expect(!hosts.requiresTLS(host, at: now))
    }

    @Test func isNotWrittenAgainForEachAnswer() throws {
        var hosts = try hosts("max-age=31536000")
        #expect(hosts.takeTouched().count == 1)
        let policy = try #require(StrictTransportSecurity("max-age=31536000"))
        hosts.note(policy, from: "a.test", at: now + 60)
        #expect(!hosts.isTouched)
        hosts.note(policy, from: "a.test", at: now + 100_000)
        #expect(hosts.isTouched)
    }

    @Test func keepsAsManyHostsAsItSaysAndForgetsTheShortestLivedFirst() throws {
        var hosts = TransportSecurityHosts()
        for number in 0...TransportSecurityHosts.largestCount {
            let policy = try #require(StrictTransportSecurity("max-age=\(10_000 + number)"))
            hosts.note(policy, from: "h\(number).test", at: now)
        }
        #expect(hosts.all(at: now).count == TransportSecurityHosts.largestCount)
        #expect(!hosts.requiresTLS("h0.test", at: now))
        #expect(hosts.requiresTLS("h1.test", at: now))
    }

    // MARK: - On the disk

    @Test func twoProgramsShareAFile() throws {
        let folder = try ScratchFolder()
        let path = folder.url.path + "/in/hsts"
        let policy = try #require(StrictTransportSecurity("max-age=3600; includeSubDomains"))
        let one = HSTSStorage(path: path)
        let other = HSTSStorage(path: path)
        one.note(policy, from: "a.test")
        other.note(policy, from: "b.test")
        one.flush()
        other.flush()
        let third = HSTSStorage(path: path)
        #expect(third.hosts == ["a.test", "b.test"])
        #expect(third.requiresTLS("x.a.test"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        third.remove("a.test")
        third.flush()
        #expect(HSTSStorage(path: path).hosts == ["b.test"])
        third.removeAll()
        third.flush()
        #expect(HSTSStorage(path: path).hosts == [])
    }

    @Test func aDamagedFileIsSetAsideAndForgedHostsAreNotBelieved() throws {
        let folder = try ScratchFolder()
        let path = folder.url.path + "/hsts"
        try Data("nonsense".utf8).write(to: URL(filePath: path))
        let storage = HSTSStorage(path: path)
        #expect(storage.hosts == [])
        storage.note(try #require(StrictTransportSecurity("max-age=3600")), from: "a.test")
        storage.flush()
        #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
        let file = SharedListFile<TransportSecurityHosts.Host>(
            path: path, title: "CurlNetworking hsts 1", isSound: { _ in true })
        _ = try file.update { hosts in
            for name in ["127.0.0.1", "B.test", ""] {
                hosts.append(
                    .init(name: name, expires: .distantFuture, includesSubdomains: true))
            }
        }
        #expect(HSTSStorage(path: path).hosts == ["a.test"])
    }
}
