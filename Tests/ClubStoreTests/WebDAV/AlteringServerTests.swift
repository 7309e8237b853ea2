import ClubStoreTestSupport
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ClubStore

/// Servers that store other bytes than were sent, that do not say when a file was written, and that repeat what
/// they were sent.
@Suite struct AlteringServerTests {
    // MARK: - Other bytes

    /// Not as someone else's: there would be a copy under each next name.
    @Test(arguments: [RemoteWriteMode.create, .add])
    func aTextStoredWithOtherLineEndsIsNoOneElses(_ mode: RemoteWriteMode) async throws {
        let standIn = try await WebDAVStandIn.probed(
            .init(storing: { bytes in
                bytes.contains(10) ? bytes.flatMap { $0 == 10 ? [13, 10] : [$0] } + [10] : bytes
            }))
        await expectFailure(.damaged) {
            _ = try await standIn.store.put(data("one\ntwo\n"), at: path("/a"), mode: mode)
        }
        #expect(standIn.paths == ["/a", "/first"])
    }

    @Test(arguments: [RemoteWriteMode.create, .add])
    func whatWasStoredWithOtherLineEndsIsOursAtTheNextAttempt(_ mode: RemoteWriteMode) async throws
    {
        let alters = Mutex(true)
        let standIn = try await WebDAVStandIn.probed(
            .init(storing: { bytes in
                alters.withLock { $0 } ? bytes.flatMap { $0 == 10 ? [13, 10] : [$0] } : bytes
            }))
        for _ in 0..<2 {
            await expectFailure(.damaged) {
                _ = try await standIn.store.put(data("one\ntwo\n"), at: path("/a"), mode: mode)
            }
        }
        alters.withLock { $0 = false }
        _ = try await standIn.store.put(data("one\ntwo\n"), at: path("/a"), mode: mode)
        #expect(standIn.contents(of: "/a") == "one\ntwo\n")
        #expect(standIn.paths == ["/a", "/first"])
    }

    /// It may be what was sent, or a rival's: in neither case would the next name be free of it.
    @Test(arguments: [RemoteWriteMode.create, .add])
    func otherBytesOfTheSameLengthAreNoTakenName(_ mode: RemoteWriteMode) async throws {
        let standIn = try await WebDAVStandIn.probed(
            .init(
                tags: .none,
                storing: { bytes in bytes.map { $0 == UInt8(ascii: "n") ? UInt8(ascii: "m") : $0 } }
            ))
        let error = await failure {
            _ = try await standIn.store.put(data("one\ntwo\n"), at: path("/a"), mode: mode)
        }
        #expect(error?.code.bare == .conflict(serverRevision: nil))
        #expect(error?.wasAccepted == true)
        // A name that is really taken is one.
        let taken = await failure {
            _ = try await standIn.store.put(data("other"), at: path("/a"), mode: mode)
        }
        #expect(taken?.code.bare == .conflict(serverRevision: nil))
        #expect(taken?.wasAccepted == false)
    }

    /// Its words are the same, its lines are not: that is a rival's.
    @Test func otherLinesAreSomebodyElses() async throws {
        let standIn = try await WebDAVStandIn.probed(
            .init(storing: { bytes in bytes.flatMap { $0 == 10 ? [13, 10] : [$0] } }))
        await expectFailure(.damaged) {
            _ = try await standIn.store.put(data("one\ntwo\n"), at: path("/a"), mode: .create)
        }
        standIn.plant("onetwo", at: "/a")
        await #expect(throws: StoreError.self) {
            _ = try await standIn.store.put(data("one\ntwo\n"), at: path("/a"), mode: .create)
        }
        #expect(standIn.contents(of: "/a") == "onetwo")
    }

    @Test func aLargeFileStoredInPartDoesNotReachItsPath() async throws {
        let standIn = try await WebDAVStandIn.probed(
            .init(storing: { $0.count > 4 ? Array($0.dropLast(2)) : $0 })
        ) { $0.limits.directByteCount = 4 }
        await expectFailure(.damaged) {
            _ = try await standIn.store.put(data("123456"), at: path("/a"), mode: .add)
        }
        #expect(standIn.paths == ["/first"])
    }

    // MARK: - Unknown ages

    @Test(arguments: [
        (WebDAVStandIn.Manners.Tags.none, ""), (.none, "yesterday"),
        (.none, "Thu, 01 Jan 1970 00:00:00 GMT"), (.coarse, ""),
        // Ten hours ahead of the server's date.
        (.coarse, "Sun, 13 Sep 2020 22:26:40 GMT"),
        // Ten hours behind it.
        (.coarse, "Sun, 13 Sep 2020 02:26:40 GMT"),
    ])
    func aTextOfTheSameLengthIsFound(
        _ tags: WebDAVStandIn.Manners.Tags, _ modified: String
    ) async throws {
        let standIn = try await WebDAVStandIn.probed(
            .init(
                tags: tags, modified: modified, date: "Sun, 13 Sep 2020 12:26:40 GMT"))
        standIn.plant("mine", at: "/a")
        let (file, _) = try await standIn.store.fetch(path("/a"))
        standIn.plant("hers", at: "/a")
        let error = await failure {
            _ = try await standIn.store.put(
                data("more"), at: path("/a"),
                mode: .update(file.revision, contentHash: file.contentHash))
        }
        #expect(error?.code.bare == .conflict(serverRevision: nil))
        #expect(standIn.contents(of: "/a") == "hers")
    }

    // MARK: - Secrets

    @Test(arguments: [
        WebDAVCredentials.password(user: "ann", password: "s3cret\"PW/1"),
        .bearer(token: "tok/en+1234=="),
    ])
    func whatAServerQuotesOfTheRequestIsNotShown(_ credentials: WebDAVCredentials) async throws {
        let field = try #require(credentials.authorization)
        let secret: String =
            switch credentials {
            case .password(_, let password): password
            case .bearer(let token): token
            case .none: ""
            }
        for words in [
            "Authorization: \(field)", secret, "\"\(secret.replacing("/", with: "\\/"))\"",
        ] {
            let standIn = try WebDAVStandIn(
                .init(interception: { _ in
                    [.answer("400 Bad Request", body: "No: \(words) is not known here")]
                }), credentials: credentials)
            let error = await failure { _ = try await standIn.store.list(.root) }
            let shown = "\(try #require(error)) \(error?.refusedWords ?? "")"
            #expect(shown.contains("is not known here"))
            for part in [secret, String(field.drop { $0 != " " }.dropFirst())] {
                #expect(!shown.contains(part), "\(shown)")
            }
        }
    }

    @Test func aShortPasswordIsNotLookedFor() {
        #expect(
            WebDAVCredentials.password(user: "a", password: "no").secrets.removed(from: "no, not")
                == "no, not")
    }
}
