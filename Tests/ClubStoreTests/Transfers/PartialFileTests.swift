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
        #expect(try folder.names == [".cliff.jpg.a1c10ce0dd78.part"])
        let second = try PartialFile(of: file(), for: destination, isKept: true)
        #expect(second.byteCount == 9)
        try second.append(bytes.dropFirst(9))
        try second.moveToDestination()
        #expect(try folder.names == ["cliff.jpg"])
    }

    @Test func neverJoinsTwoRevisions() throws {
        let first = try PartialFile(of: file(), for: destination, isKept: true)
        try first.append(bytes.prefix(9))
        first.setAside()
        #expect(try PartialFile(of: file("b2"), for: destination, isKept: true).byteCount == 0)
    }

    @Test func leavesNothingBehindUnlessToldTo() throws {
        let partial = try PartialFile(of: file(), for: destination, isKept: false)
        try partial.append(bytes.prefix(9))
        partial.setAside()
        let empty = try PartialFile(of: file(), for: destination, isKept: true)
        empty.setAside()
        #expect(try folder.names.isEmpty)
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
        let child = try folder.descriptorOfAChild(".cliff.jpg.a1c10ce0dd78.part")
        defer { close(child) }
        first.setAside()
        #expect(try PartialFile(of: file(), for: destination, isKept: true).byteCount == 9)
    }

    @Test func followsNoLink() throws {
        let other = try folder.write(data("precious"), to: "precious")
        let part = PartialFile.path(beside: destination, mark: "a1c10ce0dd78")
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
