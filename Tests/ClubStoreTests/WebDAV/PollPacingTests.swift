import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Listings that differ each time, and those that only seem to.
@Suite struct PollPacingTests {
    @Test func aServerWhoseEveryListingDiffersIsListedInIntervals() async throws {
        let standIn = try WebDAVStandIn {
            $0.limits.shortestInterval = .seconds(500)
            $0.limits.longestInterval = .seconds(5000)
        }
        standIn.plant("0", at: "/a")
        var cursor = try await standIn.store.list(.root).cursor
        for round in 1...4 {
            standIn.plant("\(round)", at: "/a")
            #expect(try await standIn.store.waitForChanges(after: cursor, atMost: .seconds(5000)))
            cursor = try await standIn.store.changes(since: cursor).cursor
        }
        // The first poll is immediate. The time for the requests counts.
        #expect(standIn.waits.count == 3)
        let shortest: [Duration] = [.seconds(400), .seconds(900), .seconds(900)]
        #expect(zip(standIn.waits, shortest).allSatisfy { $0 > $1 })
    }

    @Test func whatWasNotListedYetIsReportedAtOnce() async throws {
        let standIn = try WebDAVStandIn { $0.limits.shortestInterval = .seconds(500) }
        let cursor = try await standIn.store.list(.root).cursor
        standIn.plant("new", at: "/a")
        for _ in 0..<2 {
            #expect(try await standIn.store.waitForChanges(after: cursor, atMost: .seconds(5000)))
        }
        #expect(standIn.waits.isEmpty)
    }

    /// A name that a computer has written in Form C, and one in Form D: two files to most servers.
    @Test func twoFormsOfOneNameAreTwoNotes() async throws {
        let names = ["caf\u{E9}.txt", "cafe\u{301}.txt"]
        let listing =
            "<d:response><d:href>/dav/</d:href><d:propstat><d:prop><d:resourcetype>"
            + "<d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status>"
            + "</d:propstat></d:response>"
            + names.map { name in
                "<d:response><d:href>/dav/\(PercentCoding.encode(name))</d:href><d:propstat><d:prop>"
                    + "<d:resourcetype/><d:getetag>\"\(name.utf8.count)\"</d:getetag>"
                    + "<d:getcontentlength>1</d:getcontentlength></d:prop>"
                    + "<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
            }.joined()
        let standIn = try WebDAVStandIn(
            .init(interception: { $0.method == "PROPFIND" ? .multistatus(listing) : nil })
        ) {
            $0.limits.shortestInterval = longWait
            $0.limits.longestInterval = longWait
        }
        let listed = try await standIn.store.list(.root)
        #expect(Set(listed.files.map { Array($0.name.utf8) }) == Set(names.map { Array($0.utf8) }))
        #expect(listed.files.map(\.revision.rawValue).sorted() == ["\"10\"", "\"9\""])
        #expect(try await standIn.store.changes(since: listed.cursor).entries.isEmpty)
        #expect(try await !standIn.store.waitForChanges(after: listed.cursor, atMost: longWait))
    }
}
