import Testing

@testable import ClubAccess

@Suite struct PhotoNameTests {
    @Test(arguments: [
        ("sea.jpg", "sea.jpg"), ("sea.JPEG", "sea.JPEG"), ("sea.png", "sea.jpg"),
        ("sea", "sea.jpg"), (".png", ".png.jpg"), ("sea.gif", "sea.gif.jpg"),
    ])
    func addsAnEndingWhereItIsMissing(fileName: String, expected: String) {
        #expect(PhotoName.forClub(fileName) == expected)
    }

    @Test func findsAFreeName() {
        let taken: Set = ["sea.jpg", "sea (2).jpg"]
        #expect(PhotoName.free(like: "sea.jpg") { taken.contains($0) } == "sea (3).jpg")
        #expect(PhotoName.free(like: "noending") { _ in false } == "noending (2)")
    }
}
