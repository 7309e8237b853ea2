import DropboxAPI
import Foundation
import Testing

@testable import ClubStore

@Suite struct PartialFileTests {
    private let folder: TemporaryFolder
    private let bytes = Data("the bytes of a panorama".utf8)

    init() throws {
        folder = try TemporaryFolder()
    }

    private var destination: String { folder.url.appending(path: "cliff.jpg").path }

    private func file(_ revision: String = "a1c10ce0dd78") throws -> RemoteFile {
        RemoteFile(
            path: try path("/cliff.jpg"), revision: Revision(rawValue: revision),
            byteCount: Int64(bytes.count), modified: Date(),
            contentHash: ContentHash(of: bytes).hexadecimal)
    }

    /// What is kept of it is called so.
    private var kept: String {
        get throws { ".cliff.jpg.\(PartialFile.mark(of: try file())).part" }
    }

    @Test func putsTheWholeInItsPlace() throws {
        let partial = try PartialFile(of: file(), for: destination, isKept: false)
        try partial.append(bytes.prefix(5))
        // It has no name yet: a kill leaves nothing behind.
        #expect(try folder.names.isEmpty)
        try partial.append(bytes.dropFirst(5))
        try partial.moveToDestination()
        #expect(try folder.names == ["cliff.jpg"])
        #expect(try Data(contentsOf: URL(filePath: destination)) == bytes)
    }

    @Test func keepsWhatArrivedAndGoesOnFromThere() throws {
        let first = try PartialFile(of: file(), for: destination, isKept: true)
        try first.append(bytes.prefix(9))
        first.setAside()
        #expect(try folder.names == [kept])
        let second = try PartialFile(of: file(), for: destination, isKept: true)
        #expect(second.byteCount == 9)
        try second.append(bytes.dropFirst(9))
        try second.moveToDestination()
        #expect(try folder.names == ["cliff.jpg"])
    }

    /// Wherever their tags differ: in punctuation, behind a long beginning.
    @Test(arguments: [
        ("a1c10ce0dd78", "b2"), (#""1-2""#, #""1:2""#), (#""é""#, #""è""#),
        (String(repeating: "7", count: 64) + "a", String(repeating: "7", count: 64) + "b"),
    ])
    func neverJoinsTwoRevisions(one: String, other: String) throws {
        let first = try PartialFile(of: file(one), for: destination, isKept: true)
        try first.append(bytes.prefix(9))
        first.setAside()
        #expect(try PartialFile(of: file(other), for: destination, isKept: true).byteCount == 0)
        #expect(try PartialFile(of: file(one), for: destination, isKept: true).byteCount == 9)
    }

    /// Servers make tags of the time and the length: two files may have one.
    @Test func neverJoinsTwoFiles() throws {
        let first = try PartialFile(of: file(), for: destination, isKept: true)
        try first.append(bytes.prefix(9))
        first.setAside()
        var other = try file()
        other.path = try path("/summer/cliff.jpg")
        #expect(try PartialFile(of: other, for: destination, isKept: true).byteCount == 0)
    }

    @Test func leavesNothingBehindUnlessToldTo() throws {
        let partial = try PartialFile(of: file(), for: destination, isKept: false)
        try partial.append(bytes.prefix(9))
        partial.setAside()
        let empty = try PartialFile(of: file(), for: destination, isKept: true)
        empty.setAside()
        #expect(try folder.names.isEmpty)
    }

    /// As after a full disk, which it would keep full.
    @Test func leavesNothingBehindWhenItIsDiscarded() throws {
        let partial = try PartialFile(of: file(), for: destination, isKept: true)
        try partial.append(bytes.prefix(9))
        partial.discard()
        #expect(try folder.names.isEmpty)
    }

    @Test(arguments: [true, false]) func replacesOnlyWhatItMay(isKept: Bool) throws {
        let partial = try PartialFile(of: file(), for: destination, isKept: isKept)
        try partial.append(bytes)
        // It appears while the download runs.
        try Data("mine".utf8).write(to: URL(filePath: destination))
        let error = #expect(throws: StoreError.self) {
            try partial.moveToDestination(replaces: false)
        }
        #expect(error?.code == .fileUnwritable)
        #expect(error?.underlying as? DestinationProblem == .isThere)
        partial.setAside()
        #expect(try Data(contentsOf: URL(filePath: destination)) == Data("mine".utf8))
        #expect(try folder.names.contains(kept) == isKept)

        try FileManager.default.removeItem(atPath: destination)
        let second = try PartialFile(of: file(), for: destination, isKept: isKept)
        if !isKept { try second.append(bytes) }
        try second.moveToDestination(replaces: false)
        #expect(try folder.names == ["cliff.jpg"])
        #expect(try Data(contentsOf: URL(filePath: destination)) == bytes)
    }

    @Test(arguments: [
        "cliff.jpg", String(repeating: "é", count: 120) + ".jpg",
        String(repeating: "x", count: 255),
        "e\u{301}.jpg", ".hidden", "two.dots.jpg", "no ending",
    ])
    func itsRemainsAreFoundWhateverItsName(name: String) throws {
        let place = folder.url.path + "/" + name
        for revision in ["a1", "b2"] {
            let partial = try PartialFile(of: file(revision), for: place, isKept: true)
            try partial.append(bytes.prefix(9))
            partial.setAside()
        }
        #expect(try folder.names.count == 2)
        // Long names are shortened.
        DownloadRemains.remove(of: place + "x")
        #expect(try folder.names.count == (name.utf8.count > 200 ? 0 : 2))
        DownloadRemains.remove(of: place)
        #expect(try folder.names.isEmpty)
    }

    /// Composed and decomposed are two names to a file system.
    @Test func theRemainsOfAnotherSpellingStay() {
        let (composed, decomposed) = ("\u{e9}.jpg", "e\u{301}.jpg")
        #expect(DownloadRemains.isRemains(".\u{e9}.jpg.a1.part", of: composed))
        #expect(!DownloadRemains.isRemains(".\u{e9}.jpg.a1.part", of: decomposed))
    }

    @Test(arguments: [
        ("no/such/folder", DestinationProblem.hasNoFolder),
        (String(repeating: "x", count: 300), .nameTooLong),
    ])
    func saysWhyItCannotBeWritten(name: String, problem: DestinationProblem) throws {
        let place = folder.url.path + "/" + name
        let error = #expect(throws: StoreError.self) {
            let partial = try PartialFile(of: file(), for: place, isKept: false)
            try partial.append(bytes)
            try partial.moveToDestination(replaces: false)
        }
        #expect(error?.underlying as? DestinationProblem == problem)
    }

    @Test func refusesDamagedBytesAndRemovesThem() throws {
        let partial = try PartialFile(of: file(), for: destination, isKept: true)
        try partial.append(Data(bytes.reversed()))
        #expect(throws: StoreError.self) { try partial.moveToDestination() }
        #expect(try folder.names.isEmpty)
    }

    @Test func refusesMoreBytesThanAnnounced() throws {
        let partial = try PartialFile(of: file(), for: destination, isKept: false)
        try partial.append(bytes)
        #expect(throws: StoreError.self) { try partial.append(Data([0])) }
        partial.setAside()
    }

    @Test func twoAtOnceDoNotWriteTheSameFile() throws {
        let first = try PartialFile(of: file(), for: destination, isKept: true)
        try first.append(bytes.prefix(9))
        let second = try PartialFile(of: file(), for: destination, isKept: true)
        #expect(second.byteCount == 0)
        try second.append(bytes)
        try second.moveToDestination()
        try first.append(bytes.dropFirst(9))
        try first.moveToDestination()
        #expect(try folder.names == ["cliff.jpg"])
    }

    @Test func aChildThatIsBeingStartedKeepsNobodyFromGoingOn() throws {
        let first = try PartialFile(of: file(), for: destination, isKept: true)
        try first.append(bytes.prefix(9))
        let child = try folder.descriptorOfAChild(kept)
        defer { close(child) }
        first.setAside()
        #expect(try PartialFile(of: file(), for: destination, isKept: true).byteCount == 9)
    }

    @Test func followsNoLink() throws {
        let other = try folder.write(data("precious"), to: "precious")
        let part = folder.url.appending(path: try kept).path
        try FileManager.default.createSymbolicLink(atPath: part, withDestinationPath: other.path)
        let partial = try PartialFile(of: file(), for: destination, isKept: true)
        try partial.append(bytes)
        try partial.moveToDestination()
        #expect(try Data(contentsOf: other) == data("precious"))
    }

    @Test func aNameOfAnyLengthHasRoomForItsEnding() {
        let long = "/tmp/" + String(repeating: "é", count: 127)
        let path = PartialFile.path(beside: long, mark: "a1c10ce0dd78")
        #expect(path.split(separator: "/")[1].utf8.count <= 255)
        #expect(path.hasSuffix(".a1c10ce0dd78.part"))
    }

    @Test func aFolderIsNoDestination() throws {
        #expect(throws: StoreError.self) {
            try PartialFile(of: file(), for: folder.url.path, isKept: false)
        }
    }
}
