import Foundation
import Testing

@testable import ByteClub
@testable import ClubAccess

@Suite struct PhotoFolderTests {
    @Test func showsFoldersFirstAndOnlyPictures() throws {
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("picker-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        for folder in ["", "/zoo", "/Alps", "/.hidden"] {
            try FileManager.default.createDirectory(
                atPath: root + folder, withIntermediateDirectories: true)
        }
        for name in ["b.jpg", "A.JPEG", "c.png", ".secret.jpg", "no-ending"] {
            try Data(repeating: 1, count: 3).write(to: URL(fileURLWithPath: root + "/" + name))
        }
        let folder = try PhotoFolder.read(root)
        #expect(folder.entries.map(\.name) == ["..", "Alps", "zoo", "A.JPEG", "b.jpg", "c.png"])
        #expect(folder.entries.map(\.kind) == [.parent, .folder, .folder, .photo, .photo, .photo])
        #expect(folder.entries.last?.byteCount == 3)
        #expect(folder.entries.first?.path == PhotoFolder.parent(of: root))
    }

    @Test func saysWhyAFolderCannotBeRead() {
        let error = #expect(throws: PhotoFolder.Unreadable.self) {
            try PhotoFolder.read("/nowhere/at/all")
        }
        #expect(error?.description.contains("/nowhere/at/all") == true)
    }

    @Test func passesOverNamesThatAreNoText() throws {
        let root = FileManager.default.temporaryDirectory
            .appendingPathComponent("picker-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        let name: [CChar] =
            Array((root + "/bad").utf8CString.dropLast()) + [-1, 0x2e, 0x6a, 0x70, 0x67, 0]
        let file = try #require(fopen(name, "w"))
        fclose(file)
        #expect(try PhotoFolder.read(root).entries.map(\.name) == [".."])
    }
}
