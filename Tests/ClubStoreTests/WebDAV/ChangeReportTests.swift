import Foundation
import TestSupport
import Testing

@testable import ClubStore

/// Changes by sync token (RFC 6578).
@Suite struct ChangeReportTests {
    /// A club with a few entries, and a cursor with a sync token.
    private func club(
        _ manners: WebDAVStandIn.Manners = .init(reports: 1000), recursive: Bool = true
    ) async throws -> (standIn: WebDAVStandIn, cursor: Cursor) {
        let standIn = try WebDAVStandIn(manners) {
            $0.limits.shortestInterval = longWait
            $0.limits.longestInterval = longWait
        }
        standIn.plant("1", at: "/kept.txt")
        standIn.plant("2", at: "/gone.txt")
        standIn.plantFolder(at: "/photos")
        standIn.plant("3", at: "/photos/a.jpg")
        let cursor = try await standIn.store.list(.root, recursive: recursive).cursor
        // The first poll detects sync-token support.
        #expect(try await !standIn.store.waitForChanges(after: cursor, atMost: longWait))
        _ = standIn.newCalls()
        return (standIn, cursor)
    }

    private func changes(
        _ standIn: WebDAVStandIn, _ cursor: Cursor
    ) async throws -> (paths: [String], cursor: Cursor) {
        let listing = try await standIn.store.changes(since: cursor)
        let paths = listing.entries.map { entry in
            switch entry {
            case .deleted(let path): "-\(path)"
            case .file(let file): "+\(file.path)"
            case .folder(let path): "+\(path)/"
            }
        }
        return (paths, listing.cursor)
    }

    @Test func whatHasChangedComesInOneRequest() async throws {
        let (standIn, cursor) = try await club()
        standIn.uproot("/gone.txt")
        standIn.plant("4", at: "/photos/b c&d.jpg")
        standIn.plantFolder(at: "/new")
        standIn.plant("5", at: "/new/note.txt")
        let (paths, next) = try await changes(standIn, cursor)
        #expect(
            paths == ["-/gone.txt", "+/new/", "+/new/note.txt", "+/photos/b c&d.jpg"])
        #expect(standIn.newCalls() == ["REPORT /"])
        #expect(try await changes(standIn, next).paths.isEmpty)
        standIn.uproot("/photos")
        #expect(try await changes(standIn, next).paths == ["-/photos"])
        #expect(standIn.newCalls() == ["REPORT /", "REPORT /"])
        // The result equals the current contents.
        let now = try await standIn.store.list(.root, recursive: true).entries.map(\.path.string)
        #expect(now == ["/kept.txt", "/new", "/new/note.txt"])
    }

    @Test func aFolderAloneIsFollowedAlone() async throws {
        let (standIn, cursor) = try await club(recursive: false)
        standIn.plant("4", at: "/photos/b.jpg")
        standIn.plant("5", at: "/note.txt")
        #expect(try await changes(standIn, cursor).paths == ["+/note.txt"])
        #expect(standIn.requests.last?.text.contains("<D:sync-level>1</D:sync-level>") == true)
    }

    @Test func aFileInAFoldersPlaceTakesItsContentAlong() async throws {
        let (standIn, cursor) = try await club()
        standIn.uproot("/photos")
        standIn.plant("4", at: "/photos")
        let next = try await changes(standIn, cursor).cursor
        #expect(try await standIn.store.changes(since: next).entries.isEmpty)
        standIn.plant("5", at: "/photos")
        #expect(try await changes(standIn, next).paths == ["+/photos"])
    }

    @Test func whatReplacesAFolderReplacesItsContentToo() throws {
        let file = { (name: String) throws in
            RemoteEntry.file(
                RemoteFile(
                    path: try path(name), revision: Revision(rawValue: "1"), byteCount: 1,
                    modified: .distantPast))
        }
        for change in [try file("/f"), .deleted(try path("/f"))] {
            var snapshot = WebDAVSnapshot(
                folder: .root, recursive: true,
                entries: [.folder(try path("/f")), try file("/f/a"), try file("/g")])
            snapshot.apply([change])
            #expect(!snapshot.entries.map(\.path.string).contains("/f/a"))
            #expect(snapshot.entries.contains(try file("/g")))
        }
    }

    @Test func anAnswerThatIsCutShortIsFollowed() async throws {
        let (standIn, cursor) = try await club(.init(reports: 2))
        for index in 0..<5 { standIn.plant("\(index)", at: "/\(index)") }
        #expect(try await changes(standIn, cursor).paths == ["+/0", "+/1", "+/2", "+/3", "+/4"])
        #expect(standIn.newCalls() == ["REPORT /", "REPORT /", "REPORT /"])
    }

    // By the standard, and by Xandikos.
    @Test(arguments: ["403 Forbidden", "409 Conflict", "412 Precondition Failed"])
    func aMomentTooLongAgoIsLookedUpTheOldWay(_ refusal: String) async throws {
        let (standIn, cursor) = try await club(.init(reports: 1000, refusalOfToken: refusal))
        standIn.plant("4", at: "/new.txt")
        standIn.forgetChanges()
        let (paths, next) = try await changes(standIn, cursor)
        #expect(paths == ["+/new.txt"])
        #expect(standIn.newCalls().first == "REPORT /")
        standIn.plant("5", at: "/newer.txt")
        #expect(try await changes(standIn, next).paths == ["+/newer.txt"])
        #expect(standIn.newCalls() == ["REPORT /"])
    }

    @Test func aServerThatDoesNotGoDownIsNotAskedAgain() async throws {
        let (standIn, cursor) = try await club(.init(reports: 1000, reportsDeep: false))
        standIn.plant("4", at: "/photos/b.jpg")
        let (paths, next) = try await changes(standIn, cursor)
        #expect(paths == ["+/photos/b.jpg"])
        _ = standIn.newCalls()
        standIn.plant("5", at: "/photos/c.jpg")
        #expect(try await changes(standIn, next).paths == ["+/photos/c.jpg"])
        #expect(!standIn.newCalls().contains("REPORT /"))
        // Depth 1 may still be supported.
        let flat = try await standIn.store.list(.root).cursor
        standIn.plant("6", at: "/note.txt")
        _ = standIn.newCalls()
        #expect(try await changes(standIn, flat).paths == ["+/note.txt"])
        #expect(standIn.newCalls() == ["REPORT /"])
    }

    @Test func whatAProxyCallsOtherwiseIsLookedUpTheOldWay() async throws {
        let (standIn, cursor) = try await club(.init(hrefPrefix: "/inner", reports: 1000))
        standIn.plant("4", at: "/new.txt")
        #expect(try await changes(standIn, cursor).paths == ["+/new.txt"])
    }
}
