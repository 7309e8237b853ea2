import ClubStore
import Foundation
import Testing

@testable import ClubAccess

@Suite struct ClubContentsTests {
    private func file(_ path: String, revision: String = "000000001") throws -> RemoteFile {
        RemoteFile(
            path: try RemotePath(validating: path), revision: Revision(rawValue: revision),
            byteCount: 1, modified: Date(timeIntervalSince1970: 0))
    }

    @Test func sortsFilesIntoNotesAndPhotos() throws {
        var contents = ClubContents()
        contents.apply([
            .folder(try RemotePath(validating: "/photos")),
            .file(try file("/day 10.txt")), .file(try file("/Day 2.txt")), .file(try file("/a.md")),
            .file(try file("/photos/Sea.JPEG")), .file(try file("/photos/cliff.jpg")),
            .file(try file("/photos/readme.txt")), .file(try file("/photos/old/deep.jpg")),
            .file(try file("/other/x.txt")), .file(try file("/.hidden")),
        ])
        #expect(contents.notes.map(\.name) == ["a.md", "Day 2.txt", "day 10.txt"])
        #expect(contents.photos.map(\.name) == ["cliff.jpg", "Sea.JPEG"])
    }

    @Test func knowsWhatItHas() throws {
        let note = try file("/f/a.txt")
        var contents = ClubContents()
        contents.apply([.file(note)])
        #expect(try contents.has(.file(note)) && contents.has(.folder(folder("/f"))))
        #expect(try !contents.has(.file(file("/f/a.txt", revision: "000000002"))))
        #expect(try !contents.has(.deleted(note.path)) && !contents.has(.deleted(folder("/f"))))
        #expect(try contents.has(.deleted(folder("/g"))))
    }

    private func folder(_ path: String) throws -> RemotePath { try RemotePath(validating: path) }

    /// A server has a file under each, or lists a name in another form than it was sent.
    @Test func twoFormsOfOneNameAreTwoNotes() throws {
        let (composed, decomposed) = (try file("/caf\u{E9}.txt"), try file("/cafe\u{301}.txt"))
        var contents = ClubContents()
        contents.apply([.file(composed), .file(try file("/a.txt"))])
        func hasOther(_ file: RemoteFile, ignoringCase: Bool = false) -> Bool {
            contents.hasOtherSpelling(ofAny: [.file(file)], ignoringCase: ignoringCase)
        }
        #expect(hasOther(decomposed) && !hasOther(composed))
        #expect(try !hasOther(file("/A.txt")))
        #expect(try hasOther(file("/A.txt"), ignoringCase: true))
        contents.apply([.file(decomposed)])
        #expect(contents.notes.count == 3)
        #expect(!hasOther(decomposed))
        contents.apply([.deleted(composed.path)])
        #expect(contents[decomposed.path] == decomposed && contents[composed.path] == nil)
    }

    @Test func findsThePhotosFolderInAnyCase() throws {
        var contents = ClubContents()
        contents.apply([.file(try file("/Photos/a.jpg"))])
        #expect(contents.photos.map(\.name) == ["a.jpg"])
        #expect(contents.hasPhoto(named: "A.JPG"))
    }

    @Test func countsWhatIsShownInAFolder() throws {
        var contents = ClubContents()
        contents.apply([
            .file(try file("/mac/.DS_Store")), .file(try file("/git/.git/config")),
            .file(try file("/git/a.txt")), .file(try file("/git/deep/.hidden")),
        ])
        let counts = contents.entries(of: .notes, in: .root).map { entry -> String in
            if case .folder(let path, let count) = entry { "\(path.name) \(count)" } else { "" }
        }
        #expect(counts.sorted() == ["git 1", "mac 0"])
        contents.apply([.deleted(try RemotePath(validating: "/git/a.txt"))])
        #expect(contents.entries(of: .notes, in: .root).count == 2)
        #expect(contents.searchableNotes.isEmpty)
    }

    @Test func appliesChangesInOrder() throws {
        var contents = ClubContents()
        contents.apply([.file(try file("/a.txt")), .file(try file("/b.txt"))])
        contents.apply([
            .deleted(try RemotePath(validating: "/a.txt")),
            .file(try file("/b.txt", revision: "000000002")),
            .file(try file("/c.txt")), .deleted(try RemotePath(validating: "/c.txt")),
        ])
        #expect(contents.notes.map(\.revision.rawValue) == ["000000002"])
    }

    @Test func aChangedPhotoIsThereOnce() throws {
        var contents = ClubContents()
        contents.apply([.file(try file("/photos/a.jpg")), .file(try file("/a.txt"))])
        contents.apply([.file(try file("/photos/a.jpg", revision: "000000002"))])
        #expect(contents.photos.map(\.revision.rawValue) == ["000000002"])
        #expect(contents.files(of: .photos).count == 1)
        #expect(contents.files(of: .notes).map(\.name) == ["a.txt"])
        contents.apply([.deleted(try RemotePath(validating: "/photos/a.jpg"))])
        #expect(contents.photos.isEmpty && !contents.hasPhoto(named: "a.jpg"))
    }

    @Test func aDeletedRootLeavesNothing() throws {
        var contents = ClubContents()
        contents.apply([
            .file(try file("/photos/a.jpg")), .file(try file("/a.txt")),
            .folder(try RemotePath(validating: "/d/empty")),
        ])
        contents.apply([.deleted(.root)])
        #expect(contents == ClubContents())
        #expect(contents.hasFolder(.root))
    }

    @Test func aDeletedFolderTakesItsChildrenAlong() throws {
        var contents = ClubContents()
        contents.apply([.file(try file("/photos/a.jpg")), .file(try file("/photos.txt"))])
        contents.apply([.deleted(try RemotePath(validating: "/photos"))])
        #expect(contents.photos.isEmpty)
        #expect(contents.notes.map(\.name) == ["photos.txt"])
    }

    @Test(arguments: [
        ["a", "B", "c"], ["1", "2", "10"], ["x1y", "x01z", "x2"], ["a", "a1", "aa"],
        ["file 99999999999999999999", "file 100000000000000000000"],
        ["plan.md", "plan.txt", "plan2.txt", "plan10.txt", "plane.txt"], [".a", ".b.txt", "b"],
    ])
    func ordersNamesNaturally(names: [String]) {
        #expect(names.shuffled().sorted { NaturalOrderKey($0) < NaturalOrderKey($1) } == names)
    }

    @Test func anAccentDoesNotMoveANameToTheEnd() {
        let names = ["apple", "Äpfel", "äpfel 2", "banana", "étude", "Eve", "Über", "Zed", "笔记"]
        let sorted = names.shuffled().sorted { NaturalOrderKey($0) < NaturalOrderKey($1) }
        #expect(sorted.map { $0.first } == ["Ä", "ä", "a", "b", "é", "E", "Ü", "Z", "笔"])
    }
}
