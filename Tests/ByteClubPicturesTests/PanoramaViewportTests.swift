import ByteClubPictures
import Testing

@Suite struct PanoramaViewportTests {
    private let panorama = PixelSize(width: 6000, height: 1000)
    private let box = CellSize(columns: 80, rows: 20)

    @Test func fillsTheWindowWithTheHeightAtFirst() {
        let region = PanoramaViewport().region(of: panorama, in: box, cellAspect: 0.5)
        #expect(region == PixelRegion(x: 2000, y: 0, width: 2000, height: 1000))
    }

    @Test func staysInsideAPictureThatDoesNotWrap() {
        var viewport = PanoramaViewport()
        viewport.turn(by: -3)
        #expect(viewport.region(of: panorama, in: box, cellAspect: 0.5).x == 0)
        viewport.turn(by: 17)
        #expect(viewport.region(of: panorama, in: box, cellAspect: 0.5).x == 4000)
    }

    @Test func comesBackAfterAFullTurn() {
        var viewport = PanoramaViewport(wraps: true)
        for _ in 0..<4 { viewport.turn(by: 0.25) }
        #expect(viewport == PanoramaViewport(wraps: true))
        viewport.turn(by: -0.75)
        #expect(viewport.centerX == 0.75)
    }

    @Test func zoomsWithinLimitsAndTiltsWithinThePicture() {
        var viewport = PanoramaViewport()
        viewport.zoom(by: 2)
        viewport.tilt(by: 1)
        let region = viewport.region(of: panorama, in: box, cellAspect: 0.5)
        #expect(region == PixelRegion(x: 2500, y: 500, width: 1000, height: 500))
        viewport.zoom(by: 1e9)
        #expect(viewport.zoom == PanoramaViewport.zoomRange.upperBound)
        viewport.zoom(by: 0)
        #expect(viewport.zoom == PanoramaViewport.zoomRange.lowerBound)
        viewport.zoom(by: .nan)
        viewport.turn(by: .infinity)
        viewport.tilt(by: .nan)
        #expect(viewport.zoom == PanoramaViewport.zoomRange.lowerBound)
        #expect(viewport.centerX == 0.5 && viewport.centerY == 1)
    }

    @Test func showsTheWholePicture() {
        var viewport = PanoramaViewport()
        viewport.fit(panorama, in: box, cellAspect: 0.5)
        let region = viewport.region(of: panorama, in: box, cellAspect: 0.5)
        #expect(region == PixelRegion(x: 0, y: -1000, width: 6000, height: 3000))
    }

    @Test func theFirstMoveBackFromAnEdgeIsSeen() {
        var viewport = PanoramaViewport()
        for _ in 0..<9 {
            viewport.turn(by: -0.3)
            viewport.clamp(in: panorama, box, cellAspect: 0.5)
        }
        viewport.turn(by: 0.1)
        #expect(viewport.region(of: panorama, in: box, cellAspect: 0.5).x == 600)
        var turning = PanoramaViewport(wraps: true)
        turning.turn(by: 0.4)
        turning.clamp(in: panorama, box, cellAspect: 0.5)
        #expect(abs(turning.centerX - 0.9) < 1e-9)
    }
}
