import ByteClubPictures
import Testing

@testable import ByteClub

@Suite struct ZoomWordsTests {
    private let fitted = PanoramaViewport()

    private func words(_ shown: Double, on screen: Int, zoom: Double = 2) -> ZoomWords {
        var viewport = PanoramaViewport()
        viewport.zoom(by: zoom)
        return ZoomWords(viewport, fitted: fitted, shown: shown, screen: screen)
    }

    @Test(arguments: [
        (1600.0, 80, "5.0%"), (160_000, 80, "0.1%"), (80, 80, "1:1"), (80.2, 80, "1:1"),
        (32, 80, "250%"), (800, 80, "10%"), (810, 80, "9.9%"), (1, 160, "16000%"),
        (0, 80, "…"),
    ])
    func saysHowManyPixelsOfTheScreenOneOfThePhotoIs(shown: Double, screen: Int, figure: String) {
        #expect(words(shown, on: screen).short == figure)
        #expect(words(shown, on: screen).long == "zoom \(figure)")
    }

    @Test func saysThatTheWholePictureIsInSight() {
        let whole = words(1600, on: 80, zoom: 1)
        #expect(whole.short == "fit")
        #expect(whole.long == "zoom 5.0%, the whole picture")
    }
}
