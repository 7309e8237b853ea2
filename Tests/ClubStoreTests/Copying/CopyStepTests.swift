import Foundation
import Testing

@testable import ClubStore

@Suite struct CopyStepTests {
    @Test func whatIsNotThereIsCopiedFoldersFirst() throws {
        let steps = try CopyStep.steps(
            from: listing([.file(file("/photos/a.jpg")), .folder(path("/photos"))]),
            to: listing([]))
        #expect(
            try steps == [.makeFolder(path("/photos")), .copy(file("/photos/a.jpg"))])
    }

    @Test func whatIsThereIsComparedWhateverTheCaseOfItsName() throws {
        let (mine, theirs) = (try file("/Straße.txt"), try file("/STRAßE.TXT"))
        let steps = CopyStep.steps(
            from: listing([.file(mine)]), to: listing([.file(theirs)]))
        #expect(steps == [.compare(mine, with: theirs)])
    }

    @Test func namesThatDifferInCaseAloneAreTwoWhereBothAreThere() throws {
        let (large, small) = (try file("/A.txt"), try file("/a.txt"))
        let both = listing([.file(large), .file(small)])
        #expect(
            CopyStep.steps(from: both, to: both)
                == [.compare(large, with: large), .compare(small, with: small)])
        #expect(
            CopyStep.steps(from: both, to: listing([.file(large)]))
                == [.compare(large, with: large), .copy(small)])
    }

    @Test func aFolderInAFilesPlaceIsLeftAloneAndTheOtherWayRound() throws {
        let steps = try CopyStep.steps(
            from: listing([.file(file("/a")), .folder(path("/b"))]),
            to: listing([.folder(path("/A")), .file(file("/b"))]))
        #expect(try steps == [.blocked(path("/a")), .blocked(path("/b"))])
    }

    private func listing(_ entries: [RemoteEntry]) -> Listing {
        Listing(entries: entries, cursor: Cursor(rawValue: ""))
    }

    private func file(_ text: String) throws -> RemoteFile {
        RemoteFile(
            path: try path(text), revision: Revision(rawValue: "1"), byteCount: 1,
            modified: .distantPast)
    }
}
