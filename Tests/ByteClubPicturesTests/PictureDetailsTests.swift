import Foundation
import TestSupport
import Testing

@testable import ByteClubPictures

/// What a photo says about how it was taken.
@Suite struct PictureDetailsTests {
    private let size = PixelSize(width: 4000, height: 2000)

    /// A TIFF of one directory, its photo and place directories, and texts behind them.
    private func exif(
        maker: String? = nil, model: String? = nil, artist: String? = nil, date: String? = nil,
        latitude: (String, [Int])? = nil, longitude: (String, [Int])? = nil
    ) -> [UInt8] {
        var rest: [UInt8] = []
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        typealias Entry = (tag: Int, type: Int, count: Int, value: [UInt8])
        func text(_ tag: Int, _ text: String?) -> [Entry] {
            text.map { [(tag, 2, $0.utf8.count + 1, Array($0.utf8) + [0])] } ?? []
        }
        func place(_ tag: Int, _ value: (String, [Int])?) -> [Entry] {
            guard let value else { return [] }
            let ratios = value.1.flatMap { number($0, 4) }
            return text(tag, value.0) + [(tag + 1, 5, value.1.count / 2, ratios)]
        }
        let places = place(1, latitude) + place(3, longitude)
        let photo = text(0x9003, date)
        var main = text(0x010F, maker) + text(0x0110, model) + text(0x013B, artist)
        if !photo.isEmpty { main.append((0x8769, 4, 1, [])) }
        if !places.isEmpty { main.append((0x8825, 4, 1, [])) }
        func length(_ entries: [Entry]) -> Int { entries.isEmpty ? 0 : 6 + entries.count * 12 }
        let photoStart = 8 + length(main)
        let placeStart = photoStart + length(photo)
        let restStart = placeStart + length(places)
        func directory(_ entries: [Entry]) -> [UInt8] {
            guard !entries.isEmpty else { return [] }
            var bytes = number(entries.count, 2)
            for entry in entries {
                var value = entry.value
                if entry.tag == 0x8769 { value = number(photoStart, 4) }
                if entry.tag == 0x8825 { value = number(placeStart, 4) }
                if value.count > 4 {
                    let position = restStart + rest.count
                    rest += value
                    value = number(position, 4)
                }
                bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
                bytes += value + Array(repeating: 0, count: 4 - value.count)
            }
            return bytes + number(0, 4)
        }
        let body = directory(main) + directory(photo) + directory(places)
        return Array("Exif\0\0II".utf8) + number(42, 2) + number(8, 4) + body + rest
    }

    private func details(_ exif: [UInt8]? = nil, xmp: String? = nil) -> PictureDetails {
        PictureDetails(
            size: size, exif: exif,
            xmp: xmp.map { PanoramaFacts.signature + Array($0.utf8) })
    }

    @Test func readsWhatACameraWrites() {
        let read = details(
            exif(
                maker: "RICOH", model: "RICOH THETA Z1", artist: "Ann  Example\t",
                date: "2026:11:23 14:05:09", latitude: ("N", [47, 1, 22, 1, 3684, 100]),
                longitude: ("W", [8, 1, 32, 1, 30, 1])))
        #expect(read.camera == "RICOH THETA Z1")
        #expect(read.artist == "Ann Example")
        #expect(read.date == "2026-11-23 14:05")
        #expect(abs((read.location?.latitude ?? 0) - 47.3769) < 0.0001)
        #expect(abs((read.location?.longitude ?? 0) + 8.5417) < 0.0001)
        #expect(PictureDetails(encoded: read.encoded) == read)
    }

    @Test(arguments: [false, true])
    func whatIsKeptWhenItIsEncodedAgainReadsTheSame(keepsLocation: Bool) throws {
        let written = exif(
            maker: "RICOH", model: "RICOH THETA Z1", artist: "Ann Example",
            date: "2026:11:23 14:05:09", latitude: ("N", [47, 1, 22, 1, 3684, 100]),
            longitude: ("W", [8, 1, 32, 1, 30, 1]))
        let kept = try #require(KeptExif(marker: written, keepsLocation: keepsLocation)?.marker)
        var expected = details(written)
        if !keepsLocation { expected.location = nil }
        #expect(details(kept) == expected)
        #expect(Exif(marker: kept)?.hasLocation == keepsLocation)
        // Once more: what was written can be read like a camera's.
        #expect(KeptExif(marker: kept, keepsLocation: keepsLocation)?.marker == kept)
    }

    @Test func ofAPhotoThatOnlySaysWhereNothingIsKept() {
        let place = exif(
            latitude: ("N", [47, 1, 0, 1, 0, 1]), longitude: ("E", [8, 1, 0, 1, 0, 1]))
        #expect(KeptExif(marker: place, keepsLocation: false) == nil)
        #expect(KeptExif(marker: place, keepsLocation: true) != nil)
        // A name is never that long.
        let long = exif(maker: String(repeating: "a", count: 2_000))
        #expect(KeptExif(marker: long, keepsLocation: true) == nil)
    }

    @Test func aPlaceIsThereOnlyWhereItIsWritten() {
        #expect(details(exif(maker: "A", model: "B")).location == nil)
        #expect(details(exif(maker: "A", model: "B")).camera == "A B")
        #expect(details(exif(latitude: ("N", [47, 1, 0, 1, 0, 1]))).location == nil)
        let outside = exif(
            latitude: ("N", [470, 1, 0, 1, 0, 1]), longitude: ("E", [8, 1, 0, 1, 0, 1]))
        #expect(details(outside).location == nil)
        let nothing = exif(
            latitude: ("N", [47, 0, 0, 1, 0, 1]), longitude: ("E", [8, 1, 0, 1, 0, 1]))
        #expect(details(nothing).location == nil)
    }

    @Test func nothingInItSteersATerminal() {
        let read = details(
            exif(
                maker: "\u{1B}[31mEvil\u{7}", model: "\u{202E}\u{9B}2J",
                artist: String(repeating: "é", count: 500)))
        #expect(read.camera == "[31mEvil 2J")
        #expect(read.artist?.count == 80)
        #expect(details(exif(date: "2026:11:23\u{1B}14:05:09")).date == nil)
        #expect(details(exif(date: "0000:00:00 00:00:00")).date == nil)
    }

    @Test func anyBytesEnd() {
        let whole = exif(
            maker: "RICOH", model: "THETA", artist: "Ann", date: "2026:11:23 14:05:09",
            latitude: ("N", [47, 1, 22, 1, 3684, 100]), longitude: ("E", [8, 1, 32, 1, 30, 1]))
        for index in whole.indices {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var bytes = whole
                bytes[index] = value
                let read = details(bytes)
                #expect(PictureDetails(encoded: read.encoded) == read)
                let kept = KeptExif(marker: bytes, keepsLocation: true)
                #expect(kept?.marker.count ?? 0 < bytes.count + 1 << 14)
            }
            _ = details(Array(whole[..<index]))
        }
        for text in [
            "", "size\t0\t1", "size\t1", "camera\tx", "size\t9\t9\nheading\tnan\nlocation\t1",
        ] {
            _ = PictureDetails(encoded: text)
        }
        #expect(PictureDetails(encoded: "camera\tx") == nil)
    }

    @Test func aFullTurnSaysSo() {
        func panorama(_ attributes: String) -> PictureDetails {
            details(xmp: "<rdf:Description \(attributes)/>")
        }
        let full = panorama(
            #"GPano:ProjectionType="equirectangular" GPano:FullPanoWidthPixels="4000" GPano:CroppedAreaImageWidthPixels="4000" GPano:PoseHeadingDegrees="213.5""#
        )
        #expect(full.isFullTurn == true && full.wraps && full.heading == 213.5)
        let part = panorama(
            #"GPano:FullPanoWidthPixels="8000" GPano:CroppedAreaImageWidthPixels='4000'"#)
        // Though it has the shape of one.
        #expect(part.isFullTurn == false && !part.wraps)
        let element = details(
            xmp: "<GPano:FullPanoWidthPixels>4000</GPano:FullPanoWidthPixels>")
        #expect(element.wraps && element.isFullTurn == true)
        #expect(!panorama(#"GPano:ProjectionType="rectilinear""#).wraps)
        #expect(
            panorama(#"GPano:FullPanoWidthPixels="x" GPano:PoseHeadingDegrees="999""#).heading
                == nil)
        #expect(PictureDetails(encoded: full.encoded) == full)
    }

    @Test func withoutAWordTheShapeDecides() {
        #expect(PictureDetails(size: PixelSize(width: 4000, height: 2000)).wraps)
        #expect(!PictureDetails(size: PixelSize(width: 4000, height: 1000)).wraps)
        #expect(!PictureDetails(size: PixelSize(width: 3000, height: 2000)).wraps)
    }

    /// Through a process apart, from a file.
    @Test(.timeLimit(.minutes(2))) func isReadApart() async throws {
        let photo = Photos.wide(width: 800, height: 400, orientation: 6)
        let details = try await PictureWorkers.shared.details(of: PictureFile(data: photo))
        #expect(details == PictureDetails(size: PixelSize(width: 400, height: 800)))
        await #expect(throws: PictureError.self) {
            try await PictureWorkers.shared.details(of: PictureFile(data: Data("text".utf8)))
        }
    }
}

/// Every pixel of a part.
@Suite struct PicturePartTests {
    @Test(.timeLimit(.minutes(2)), arguments: [false, true])
    func aPartIsThatOfTheWholePicture(isProgressive: Bool) async throws {
        let photo = Photos.corners(width: 640, height: 480, isProgressive: isProgressive)
        let picture = PictureFile(data: photo)
        let whole = try await PictureWorkers.shared.decode(picture).image
        for part in [
            PicturePart(left: 0, top: 0, size: PixelSize(width: 640, height: 480)),
            PicturePart(left: 300, top: 230, size: PixelSize(width: 41, height: 19)),
            PicturePart(left: 639, top: 479, size: PixelSize(width: 1, height: 1)),
        ] {
            let image = try await PictureWorkers.shared.part(part, of: picture)
            #expect(image.size == part.size)
            for y in 0..<part.size.height {
                for x in 0..<part.size.width where (x + y) % 7 == 0 {
                    #expect(image[x, y] == whole[part.left + x, part.top + y])
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2))) func aPartOutsideIsRefused() async throws {
        let picture = PictureFile(data: Photos.corners(width: 64, height: 48))
        for part in [
            PicturePart(left: 60, top: 0, size: PixelSize(width: 5, height: 5)),
            PicturePart(left: 0, top: 0, size: PixelSize(width: 1 << 30, height: 1 << 30)),
            PicturePart(left: 0, top: 0, size: PixelSize(width: 0, height: 5)),
        ] {
            await #expect(throws: PictureError.self) {
                try await PictureWorkers.shared.part(part, of: picture)
            }
        }
        let turned = PictureFile(data: Photos.corners(width: 64, height: 48, orientation: 6))
        await #expect(throws: PictureError.self) {
            try await PictureWorkers.shared.part(
                PicturePart(left: 0, top: 0, size: PixelSize(width: 5, height: 5)), of: turned)
        }
    }

    @Test func asMuchAroundItIsBrought() throws {
        let whole = PixelSize(width: 1000, height: 500)
        let region = PixelRegion(x: 400, y: 0, width: 100, height: 50)
        let part = try #require(PicturePart(around: region, in: whole, limit: 1 << 20))
        #expect(part == PicturePart(left: 350, top: 0, size: PixelSize(width: 200, height: 75)))
        #expect(part.contains(region, in: whole))
        #expect(!part.contains(PixelRegion(x: 340, y: 0, width: 100, height: 50), in: whole))
        #expect(PicturePart(around: region, in: whole, limit: 100) == nil)
        let outside = PixelRegion(x: 5000, y: 0, width: 100, height: 50)
        #expect(PicturePart(around: outside, in: whole, limit: 1 << 20) == nil)
    }

    /// A level of one color and close-up pixels of another: what is shown says where it came from.
    @Test func closeUpPixelsTakeThePlaceOfTheLevels() throws {
        let black = TestPicture.make(width: 400, height: 200) { _, _ in (0, 0, 0) }
        let white = TestPicture.make(width: 800, height: 400) { _, _ in (255, 255, 255) }
        var levels = PictureLevels(black)
        let part = PicturePart(left: 1200, top: 600, size: PixelSize(width: 800, height: 400))
        levels.closeUp = PictureLevels.CloseUp(
            white, part, of: PixelSize(width: 3200, height: 1600))
        let cells = CellRenderer(style: .halfBlocks)
        for encoder in [nil, KittyEncoder()] as [(any PictureEncoder)?] {
            let renderer = PictureRenderer(
                moving: cells, resting: cells, encoder: encoder,
                cell: PixelSize(width: 10, height: 20))
            var viewport = PanoramaViewport()
            let box = CellSize(columns: 80, rows: 20)
            func isWhite() -> Bool {
                let frame = renderer.frame(
                    of: levels, through: viewport, filling: box, for: .moving, id: 1)
                return frame.cells[40, 10].background
                    == CellImage.Color(red: 255, green: 255, blue: 255)
            }
            #expect(!isWhite())
            viewport.zoom(by: 8)
            #expect(isWhite())
            viewport.turn(by: 0.2)
            #expect(!isWhite())
        }
    }
}
