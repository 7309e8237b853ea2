import Pictures
import Testing

@testable import ClubAccess

@Suite struct UploadRefusalTests {
    @Test(arguments: [
        (FileFormat.heic, "a HEIC photo", "heif-convert"),
        (.avif, "an AVIF picture", "heif-convert"), (.webp, "a WebP picture", "dwebp"),
    ])
    func saysHowToConvertWhatCannotBeRead(format: FileFormat, kind: String, program: String) {
        let error = PictureError(.notAPicture, operation: "prepare a", format: format)
        let sentence = error.uploadSentence(about: "IMG_1.x")
        #expect(
            sentence.hasPrefix(
                "“IMG_1.x” was not uploaded because it is \(kind), not a JPEG or PNG. Convert it"))
        #expect(sentence.contains(program))
    }

    @Test func whatIsNoPictureIsToBeSavedAsOne() {
        let error = PictureError(.notAPicture, operation: "prepare a", format: .pdf)
        #expect(error.uploadSentence(about: "a.pdf").contains("Save it as an ordinary JPEG"))
    }
}
