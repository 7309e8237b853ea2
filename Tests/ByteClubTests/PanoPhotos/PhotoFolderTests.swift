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
        let shown = folder.shown()
        #expect(shown.map(\.name) == ["..", "Alps", "zoo", "A.JPEG", "b.jpg", "c.png"])
        #expect(shown.map(\.kind) == [.parent, .folder, .folder, .photo, .photo, .photo])
        #expect(shown.last?.byteCount == 3)
        #expect(shown.first?.path == PhotoFolder.parent(of: root))
        let all = folder.shown(showingHidden: true)
        #expect(all.map(\.name).contains(".hidden"))
        #expect(all.map(\.name).contains(".secret.jpg"))
    }

    @Test func ordersByNumbersAndByDate() {
        func photo(_ name: String, _ seconds: Double) -> PhotoFolder.Entry {
            PhotoFolder.Entry(
                name: name, kind: .photo, path: "/p/" + name,
                modified: Date(timeIntervalSince1970: seconds))
        }
        let folder = PhotoFolder(
            path: "/p",
            entries: [
                photo("IMG_10.jpg", 300), photo("IMG_9.jpg", 100), photo("old.heic", 200),
                PhotoFolder.Entry(name: "zoo", kind: .folder, path: "/p/zoo"),
            ])
        #expect(
            folder.shown().map(\.name) == ["..", "zoo", "IMG_9.jpg", "IMG_10.jpg", "old.heic"])
        #expect(
            folder.shown(by: .date).map(\.name)
                == ["..", "zoo", "IMG_10.jpg", "old.heic", "IMG_9.jpg"])
        #expect(folder.shown(NameFilter(query: "img 9")).map(\.name) == ["IMG_9.jpg"])
    }

    @Test func saysWhyAFolderCannotBeRead() {
        let error = #expect(throws: PhotoFolder.Unreadable.self) {
            try PhotoFolder.read("/nowhere/at/all")
        }
        #expect(error?.description == "No such folder: “/nowhere/at/all”.")
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
        #expect(try PhotoFolder.read(root).shown().map(\.name) == [".."])
    }
}
