import ByteClubPictures
import Testing

@testable import ClubAccess

@Suite struct MissingLibraryTests {
    @Test(arguments: [
        (FileFormat.heic, "libheif", "libheif1"), (.avif, "libheif", "libheif1"),
        (.webp, "libwebp", "libwebp7"),
    ])
    func saysWhatToInstall(format: FileFormat, library: String, package: String) {
        #expect(MissingLibrary.words(for: format) == "needs \(library)")
        let sentence = MissingLibrary.sentence(for: format)
        #expect(sentence.contains("Install \(library)") && sentence.contains(package))
    }

    @Test(arguments: ["sea.jpg", "sea.png", "heic", "sea.heic.jpg"])
    func whatNeedsNoLibraryMissesNone(name: String) async {
        #expect(await MissingLibrary.format(ofPhotoNamed: name) == nil)
    }

    @Test func namesSayWhichLibraryIsNeeded() {
        #expect(FileFormat(libraryPictureNamed: "IMG_1.HEIC") == .heic)
        #expect(FileFormat(libraryPictureNamed: "a.heif") == .heic)
        #expect(FileFormat(libraryPictureNamed: "a.b.avif")?.library == .libheif)
        #expect(FileFormat(libraryPictureNamed: "a.WebP")?.library == .libwebp)
        #expect(FileFormat(libraryPictureNamed: "a.jpg") == nil)
    }
}
