import ClubStore
import Testing

@testable import ClubAccess

@Suite struct PhotoNameTests {
    @Test(arguments: [
        ("sea.jpg", "sea.jpg"), ("sea.JPEG", "sea.JPEG"), ("sea.png", "sea.jpg"),
        ("sea", "sea.jpg"), (".png", ".png.jpg"), ("sea.gif", "sea.jpg"), ("sea.TIFF", "sea.jpg"),
        (".tif", ".tif.jpg"),
    ])
    func addsAnEndingWhereItIsMissing(fileName: String, expected: String) {
        #expect(PhotoName.forClub(fileName) == expected)
    }

    @Test(arguments: [
        ("sea.jpg", "sea.jpg"), ("sea.HEIC", "sea.HEIC"), ("sea.webp", "sea.webp"),
        ("sea.png", "sea.png"), ("sea", "sea.jpg"),
    ])
    func aFileThatGoesAsItIsKeepsItsEnding(fileName: String, expected: String) {
        #expect(PhotoName.forClub(fileName, keepsOriginal: true) == expected)
        #expect(PhotoName.isPhoto(expected))
    }

    @Test(arguments: [
        ("sea.HEIC", "lake", "lake.HEIC"), ("sea.HEIC", "lake.heif", "lake.heif"),
        ("sea.HEIC", "lake.jpg", "lake.HEIC"), ("sea.jpg", "lake.png", "lake.jpg"),
        ("sea.jpg", "lake.jpeg", "lake.jpeg"), ("sea.jpg", ".png", ".png.jpg"),
        ("sea", "lake", "lake.jpg"),
    ])
    func anotherNameMakesItNoOtherPicture(name: String, newName: String, expected: String) {
        #expect(PhotoName.forClub(newName, renaming: name) == expected)
    }

    @Test(arguments: [
        ("sea", "sea.jpg", true), ("sea", "sea.HEIC", true), ("sea.jpg", "sea.jpg", false),
        ("se", "sea.jpg", false), ("sea", "sea.txt", false), ("sea", "sea (2).jpg", false),
    ])
    func knowsANameWithoutItsEnding(typed: String, name: String, isShortened: Bool) {
        #expect(PhotoName.isShortened(typed, from: name) == isShortened)
    }

    @Test func findsAFreeName() {
        let taken: Set = ["sea.jpg", "sea (2).jpg"]
        #expect(PhotoName.free(like: "sea.jpg") { taken.contains($0) } == "sea (3).jpg")
        #expect(PhotoName.free(like: "noending") { _ in false } == "noending (2)")
    }

    /// What a server may call a photo, and what its file is called then: one in the folder, always.
    @Test(arguments: [
        ("sea.jpg", "sea.jpg"), (".hidden.jpg", ".hidden.jpg"), ("été (2).jpg", "été (2).jpg"),
        ("", "photo.jpg"), (".", "photo.jpg"), ("..", "photo.jpg"), ("/etc/passwd", "_etc_passwd"),
        ("../../.bashrc", ".._.._.bashrc"), ("\u{1b}[2J.jpg", "_[2J.jpg"), ("\r\n.jpg", "__.jpg"),
        ("a\u{0}b\u{7f}\u{9b}.jpg", "a_b__.jpg"), ("a%2Fb.jpg", "a%2Fb.jpg"), ("~", "~"),
        ("?#.jpg", "?#.jpg"),
    ])
    func aHostileNameBecomesAFileInTheFolder(name: String, expected: String) {
        #expect(PhotoName.onDisk(name) == expected)
    }

    /// What a file may be called here, and its photo in the club.
    @Test(arguments: [
        ("sea.jpg", "sea.jpg"), (" sea.jpg", "_sea.jpg"), ("a\nb.jpg", "a_b.jpg"),
        ("\u{1b}[2J.jpg", "_[2J.jpg"), ("a\\b.jpg", "a_b.jpg"), ("été.jpg", "été.jpg"),
        (String(repeating: "x", count: 255) + ".jpg", String(repeating: "x", count: 251) + ".jpg"),
    ])
    func everyFileCanHaveANameInTheClub(name: String, expected: String) throws {
        #expect(PhotoName.allowed(name) == expected)
        #expect(try RemotePath.root.appending(newName: PhotoName.allowed(name)).name == expected)
    }

    @Test(arguments: [
        String(repeating: "x", count: 251) + ".jpg", String(repeating: "é", count: 125) + ".jpg",
        String(repeating: "🏔️", count: 60), "." + String(repeating: "y", count: 254),
        String(repeating: "z", count: 5000) + ".jpeg",
    ])
    func aLongNameKeepsItsEndingAndFits(name: String) {
        for name in [PhotoName.onDisk(name), PhotoName.free(like: name) { _ in false }] {
            #expect(name.utf8.count <= 255 && name.utf8.count > 240)
        }
        guard name.hasSuffix(".jpg") || name.hasSuffix(".jpeg") else { return }
        #expect(PhotoName.isPhoto(PhotoName.onDisk(name)))
        #expect(PhotoName.isPhoto(PhotoName.free(like: name) { _ in false }))
    }
}
