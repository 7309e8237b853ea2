import Foundation
import Testing

@testable import ClubServer

@Suite struct RestorationTests {
    /// A second concurrent request gets `in_progress`.
    @Test func aRevisionIsBroughtBackOnceAtATime() async throws {
        let home = try TestClub.makeHome()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let club = try ClubFolder(
            access: try FolderAccess(path: home), journal: nil, watcher: nil, log: ServerLog())
        let one = ClubFolder.Restoration(path: "/a.txt", revision: "0123456789")
        #expect(await club.begin(one) == .begun)
        #expect(await club.begin(one) == .inProgress)
        let elsewhere = ClubFolder.Restoration(path: "/b.txt", revision: "0123456789")
        #expect(await club.begin(elsewhere) == .begun)
        await club.end(one)
        #expect(await club.begin(one) == .begun)
    }
}
