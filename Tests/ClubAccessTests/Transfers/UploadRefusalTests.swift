import Pictures
import Testing

@testable import ClubAccess

@Suite struct UploadRefusalTests {
    @Test(arguments: [
        (FileFormat.heic, "a HEIC photo", "libheif1"),
        (.avif, "an AVIF picture", "libheif1"), (.webp, "a WebP picture", "libwebp7"),
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

    @Test func whatIsNoPictureIsToBeSavedAsOne() {
        let error = PictureError(.notAPicture, operation: "prepare a", format: .pdf)
        #expect(error.uploadSentence(about: "a.pdf").contains("Save it as an ordinary JPEG"))
    }
}
