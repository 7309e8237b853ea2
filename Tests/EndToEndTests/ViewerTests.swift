import Foundation
import TestSupport
import Testing

/// A panorama under the fingers.
@Suite struct ViewerTests {
    private static let name = "alps.jpg"

    private func open(_ terminal: TerminalDriver) async throws {
        terminal.type("2")
        try await terminal.wait(forText: Self.name)
        try await terminal.waitUntilIdle()
        terminal.press(.enter)
        try await terminal.wait(for: "the picture") { $0.contains("the file itself") }
        try await terminal.waitUntilIdle()
    }

    /// The color in the middle of a row of the picture, one for each of some columns.
    private func colors(_ screen: TerminalScreen) -> [TerminalColor] {
        stride(from: 5, to: 80, by: 10).map { screen[10, $0].style.background }
    }

    @Test func aPictureTwiceAsWideAsHighGoesAround() async throws {
        try await withApp(photos: [Self.name: Photos.wide(width: 1600, height: 800)]) {
            _, terminal in
            try await open(terminal)
            let before = colors(terminal.screen)
            #expect(terminal.screen.contains("0°"))
            terminal.type("L")
            let quarter = try await terminal.waitUntilIdle()
            #expect(quarter.contains("90°"))
            #expect(colors(quarter) != before)
            terminal.type("LLL")
            let around = try await terminal.waitUntilIdle()
            #expect(colors(around) == before)
        }
    }

    /// Its beginning can be shown; that it is the file itself would not be all of the truth.
    @Test func saysThatAPartIsMissing() async throws {
        let whole = Photos.noise(width: 1200, height: 600)
        try await withApp(photos: [Self.name: whole.prefix(whole.count * 2 / 5)]) { _, terminal in
            terminal.type("2")
            try await terminal.wait(forText: Self.name)
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(forText: "damaged: part of the picture is missing")
            let screen = try await terminal.waitUntilIdle()
            #expect(!screen.contains("the file itself"))
        }
    }

    @Test func saysWhatThePictureIs() async throws {
        try await withApp(
            photos: [Self.name: Photos.wide(width: 1600, height: 800)]
        ) { _, terminal in
            try await open(terminal)
            #expect(!terminal.screen.contains("1600 × 800"))
            terminal.type("i")
            try await terminal.wait { $0.contains("1600 × 800") && $0.contains("360°") }
            terminal.type("i")
            try await terminal.wait(untilGone: "1600 × 800")
        }
    }

    @Test func saysHowLargeItIsShown() async throws {
        try await withApp(photos: [Self.name: Photos.wide(width: 1600, height: 800)]) {
            _, terminal in
            try await open(terminal)
            #expect(terminal.screen.text(ofRow: 0).contains("\(Self.name) · fit"))
            terminal.type("+")
            // 80 columns show less than the 1600 pixels.
            let closer = try await terminal.waitUntilIdle()
            #expect(!closer.text(ofRow: 0).contains("fit"))
            #expect(closer.text(ofRow: 0).contains("%"))
            terminal.type("0")
            try await terminal.wait(forText: "· fit")
            terminal.type("i")
            try await terminal.wait(for: "the figure") {
                ($0.text(ofRow: 0) + $0.text(ofRow: 1)).contains("zoom ")
            }
            terminal.type("i")
            try await terminal.wait(for: "the line") {
                $0.text(ofRow: 0).contains("· fit") && !$0.text(ofRow: 1).contains("%")
            }
            // Without the map the line says where it looks.
            terminal.type("m")
            try await terminal.wait(forText: "fit · 0°")
            terminal.type("L")
            try await terminal.wait(forText: "90°")
        }
    }

    @Test func theMapCanBeHidden() async throws {
        try await withApp(photos: [Self.name: Photos.wide(width: 1600, height: 400)]) {
            _, terminal in
            try await open(terminal)
            #expect(terminal.screen.contains("50%"))
            terminal.type("m")
            try await terminal.wait(untilGone: "50%")
            terminal.type("m")
            try await terminal.wait(forText: "50%")
        }
    }

    @Test func pansOnItsOwnUntilAKey() async throws {
        try await withApp(photos: [Self.name: Photos.wide(width: 1600, height: 800)]) {
            _, terminal in
            try await open(terminal)
            terminal.type("a")
            try await terminal.wait(for: "another direction") { !$0.contains(" 0°") }
            terminal.type("a")
            let stopped = try await terminal.waitUntilIdle()
            #expect(!stopped.contains(" 0°"))
            // At rest it stays so.
            terminal.type("i")
            let later = try await terminal.waitUntilIdle()
            #expect(later.text(ofRow: 22) == stopped.text(ofRow: 22))
        }
    }

    @Test func theWheelZoomsAndDraggingMovesThePicture() async throws {
        try await withApp(photos: [Self.name: Photos.wide(width: 1600, height: 800)]) {
            _, terminal in
            try await open(terminal)
            let before = terminal.screen.cells
            terminal.send(Array("\u{1B}[<64;40;12M".utf8))
            let zoomed = try await terminal.waitUntilIdle()
            #expect(zoomed.cells != before)
            terminal.send(Array("\u{1B}[<0;60;12M\u{1B}[<32;20;12M\u{1B}[<0;20;12m".utf8))
            let dragged = try await terminal.waitUntilIdle()
            #expect(!dragged.contains(" 0°"))
        }
    }

    @Test func theNextPictureIsThereAlready() async throws {
        let photos = [
            Self.name: Photos.wide(width: 1600, height: 800),
            "sea.jpg": Photos.wide(width: 1600, height: 400),
        ]
        try await withApp(photos: photos) { home, terminal in
            try await open(terminal)
            // Nothing is left to bring it from.
            for name in photos.keys {
                try FileManager.default.removeItem(at: home.photos.appending(path: name))
            }
            terminal.type("n")
            try await terminal.wait { $0.contains("sea.jpg") && $0.contains("the file itself") }
            terminal.type("p")
            try await terminal.wait { $0.contains(Self.name) && $0.contains("the file itself") }
        }
    }

    /// Decoded pictures are kept for this user alone, and found again.
    @Test func aSecondLookDecodesNothing() async throws {
        try await withApp(photos: [Self.name: Photos.wide(width: 1600, height: 800)]) {
            home, terminal in
            try await open(terminal)
            let cache = URL(filePath: try #require(home.environment()["XDG_CACHE_HOME"]))
                .appending(path: "byteclub/pictures")
            try await eventually("a kept picture") {
                let names = try? FileManager.default.contentsOfDirectory(atPath: cache.path)
                return names?.contains { $0.hasSuffix(".levels") } == true
            }
            terminal.press(.escape)
            try await terminal.waitForTabs()
            try await open(terminal)
        }
    }

    /// The line stands still with a picture on it, and the keys go on.
    @Test func escWorksWhileAPictureGoesToASlowTerminal() async throws {
        try await inFreshHome { home in
            try home.write(settings: "theme:\n  pictures: sixel\n")
            try Photos.noise(width: 2400, height: 1000)
                .write(to: home.photos.appending(path: Self.name))
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.type("2")
            try await terminal.wait(forText: Self.name)
            try await terminal.waitUntilIdle()
            let before = terminal.receivedByteCount
            terminal.pauseReading()
            terminal.press(.enter)
            try await eventually("the line is full") {
                terminal.unreadByteCounts.output > 4000
            }
            terminal.type("lq")
            try await eventually("the keys are read") { terminal.unreadByteCounts.keys == 0 }
            terminal.resumeReading()
            try await terminal.wait { $0.contains("PanoPhotos") && $0.contains(Self.name) }
            let screen = try await terminal.waitUntilIdle()
            #expect(!screen.contains("the file itself"))
            // A picture at rest alone has more.
            #expect(terminal.receivedByteCount - before < 150_000)
        }
    }
}
