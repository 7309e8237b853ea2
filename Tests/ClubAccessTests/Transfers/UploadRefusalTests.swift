import ByteClubPictures
import Testing

@testable import ClubAccess

@Suite struct UploadRefusalTests {
    @Test(arguments: [
        (FileFormat.heic, "a HEIC photo", "libheif1"),
        (.avif, "an AVIF picture", "libheif1"), (.webp, "a WebP picture", "libwebp7"),
        (.tiff, "a TIFF", "libtiff6"), (.gif, "a GIF", "libstb0"),
    ])
    func saysWhatToInstallForWhatCannotBeRead(format: FileFormat, kind: String, package: String) {
        let error = PictureError(.noLibrary, operation: "prepare a", format: format)
        let sentence = error.uploadSentence(about: "IMG_1.x")
        #expect(
            sentence.hasPrefix(
                "“IMG_1.x” was not uploaded because it is \(kind), and the library that reads it is not"
            ))
        #expect(sentence.contains("Install") && sentence.contains("Debian: \(package)"))
    }

    @Test func whatIsTooLargeOnlyToBeEncodedAgainCanBeSentAsItIs() {
        let error = PictureError(.tooLargeToReencode, operation: "prepare a")
        let sentence = error.uploadSentence(about: "a.png")
        #expect(sentence.contains("too large to be encoded again. Send it as it is, with o"))
        #expect(sentence.contains("--original"))
        let other = PictureError(.tooLarge, operation: "prepare a").uploadSentence(about: "a.png")
        #expect(!other.contains("--original"))
    }

    @Test func theShortSentenceBeginsWithTheReason() {
        let error = PictureError(.damaged, operation: "prepare a")
        #expect(error.shortUploadSentence.hasPrefix("The picture is damaged. Copy it"))
    }

    @Test func whatIsNoPictureIsToBeSavedAsOne() {
        let error = PictureError(.notAPicture, operation: "prepare a", format: .pdf)
        #expect(error.uploadSentence(about: "a.pdf").contains("Save it as an ordinary JPEG"))
    }
}
