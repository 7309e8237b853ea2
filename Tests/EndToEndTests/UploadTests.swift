import Foundation
import TestSupport
import Testing

@Suite struct UploadTests {
    @Test(arguments: Look.all) func uploadsAPhotoFromThePicker(look: Look) async throws {
        let files = [
            "sea.jpg": Photos.corners(
                width: 640, height: 160, orientation: 6,
                metadata: PhotoMetadata(hasLocation: true, maker: "Maker of cameras")),
            "notes.pdf": Data("not for the picker".utf8),
        ]
        let photos = ["alps.jpg": Photos.corners(), "zoo.jpg": Photos.corners()]
        try await withApp(look, photos: photos, files: files) { home, terminal in
            terminal.type("2")
            try await terminal.wait(forText: "zoo.jpg")
            terminal.type("u")
            let picker = try await terminal.wait(forText: "sea.jpg")
            #expect(!picker.contains("notes.pdf"))
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await eventually("the photo in the club") { home.photoNames.contains("sea.jpg") }
            try await terminal.wait(for: "the new photo in the list") { screen in
                ["alps.jpg", "sea.jpg", "zoo.jpg"].allSatisfy { screen.contains($0) }
            }
            let screen = try await terminal.waitUntilIdle()
            #expect(look.colorProblem(in: screen) == nil)

            let sent = try Data(contentsOf: home.photos.appending(path: "sea.jpg"))
            #expect(sent.prefix(2) == Data([0xFF, 0xD8]))
            #expect(sent.range(of: Data("Maker of cameras".utf8)) != nil)

            // The new photo is the selected one: it is what d would delete.
            terminal.type("d")
            try await terminal.wait(forText: "“sea.jpg” will be deleted")
            terminal.press(.escape)
            try await terminal.waitUntilIdle()
            #expect(home.photoNames == ["alps.jpg", "sea.jpg", "zoo.jpg"])
        }
    }

    @Test func takesAPastedPath() async throws {
        try await withApp { home, terminal in
            let folder = home.folder.appending(path: "far away")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let photo = folder.appending(path: "my sea.jpg")
            try Photos.corners().write(to: photo)
            terminal.type("2u")
            try await terminal.wait(forText: "Upload photos")
            terminal.paste("'\(photo.path)'")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await eventually("the photo in the club") { home.photoNames == ["my sea.jpg"] }
        }
    }

    /// Enter right after the path, while its folder is still being read, must not take the row that
    /// the list still shows.
    @Test func whatIsTypedWinsOverTheRowShown() async throws {
        try await withApp { home, terminal in
            let folder = home.folder.appending(path: "far")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Photos.corners().write(to: folder.appending(path: "meant.jpg"))
            try Photos.corners().write(to: home.work.appending(path: "shown.jpg"))
            terminal.type("2u")
            try await terminal.wait(forText: "shown.jpg")
            terminal.type(folder.appending(path: "meant.jpg").path)
            terminal.press(.enter)
            try await terminal.wait(forText: "“meant.jpg” is in the club")
            #expect(home.photoNames == ["meant.jpg"])

            terminal.type("u")
            try await terminal.wait(forText: "Upload photos")
            terminal.type(home.work.path + "/sho")
            terminal.press(.enter)
            try await eventually("the other photo") {
                home.photoNames == ["meant.jpg", "shown.jpg"]
            }
        }
    }

    @Test(arguments: [Look.classic, .wide]) func showsHowFarAnUploadIs(look: Look) async throws {
        try await withHeldUpload(look, after: 200_000) { home, proxy, terminal in
            // All in one frame, which may come in parts.
            try await terminal.wait(for: "the bytes sent") {
                $0.text.contains(/\d (KB|MB) \/ [\d.]+ MB/) && $0.contains("big.jpg")
                    && $0.contains(Label.cancel) && !$0.contains("100%")
            }
            proxy.release()
            try await eventually("the photo in the club") { home.photoNames == ["big.jpg"] }
            try await terminal.wait(for: "the photo in the list") {
                !$0.contains(Label.cancel) && $0.contains("big.jpg")
            }
        }
    }

    @Test(arguments: [Look.classic, .wide])
    func aStripShowsWhatGoesOnInTheBackground(look: Look) async throws {
        try await withHeldUpload(look, after: 200_000) { home, proxy, terminal in
            terminal.type("b")
            let isStrip: @Sendable (String) -> Bool = { row in
                row.contains("↑ big.jpg") && row.contains("% ") && row.contains("w transfers")
            }
            try await terminal.wait(for: "the strip") { $0.rows.contains(where: isStrip) }
            // In the other tab, too.
            terminal.type("1")
            try await terminal.wait(for: "the strip under the notes") {
                $0.rows.contains(where: isStrip) && $0.contains("Notes")
            }
            proxy.release()
            try await eventually("the photo in the club") { home.photoNames == ["big.jpg"] }
            try await terminal.wait(for: "no strip") { !$0.contains("w transfers") }
        }
    }

    @Test(arguments: [TerminalKey.escape, .character("c"), .control("c")])
    func cancelsWithOneKeyAndLeavesNothingBehind(key: TerminalKey) async throws {
        try await withHeldUpload(after: 200_000) { home, proxy, terminal in
            let before = home.everyFile
            terminal.press(key)
            // It is told for a few seconds only.
            try await terminal.wait(for: "the upload's end") {
                $0.contains("cancelled") && !$0.contains(Label.cancel)
            }
            _ = try await proxy.waitForAbandonment(of: "upload_session/start")
            try await terminal.waitUntilIdle()
            #expect(home.photoNames.isEmpty)
            try await eventually("nothing left of it, had \(before)") {
                home.everyFile.filter { !$0.hasPrefix(".") || $0.contains("upload") }.allSatisfy {
                    $0 == "photos"
                }
            }
            // And the app goes on.
            terminal.type("1")
            try await terminal.wait(forText: Label.notes)
        }
    }

    @Test func cancelsWhileThePhotoIsPrepared() async throws {
        // Also when the key comes late, nothing has arrived: the club takes no body.
        try await withProxy(.hold(after: 0)) { home, _, terminal in
            try Photos.wide().write(to: home.work.appending(path: "huge.jpg"))
            terminal.type("2u")
            try await terminal.wait(forText: "huge.jpg")
            terminal.press(.enter)
            try await terminal.wait(for: "the upload's box") { $0.contains(Label.cancel) }
            terminal.press(.escape)
            try await terminal.wait(untilGone: Label.cancel)
            try await terminal.waitUntilIdle()
            #expect(home.photoNames.isEmpty)
            #expect(terminal.life == .running)
        }
    }

    struct Trouble: Sendable, CustomTestStringConvertible {
        let name: String
        let behavior: ClubProxy.Behavior
        let words: [String]
        var testDescription: String { name }
    }

    static let troubles = [
        Trouble(
            name: "507", behavior: .answer(.answer("507 Insufficient Storage")),
            words: ["full", "room"]),
        Trouble(
            name: "500", behavior: .answer(.answer("500 Internal Server Error")),
            words: ["again"]),
        Trouble(
            name: "garbage", behavior: .answer(Data("@\r\n\r\n".utf8)),
            words: ["was not understood", "again"]),
    ]

    @Test(arguments: troubles)
    func saysWhyAnUploadFailed(trouble: Trouble) async throws {
        try await withProxy(trouble.behavior) { home, _, terminal in
            try Photos.corners().write(to: home.work.appending(path: "sea.jpg"))
            terminal.type("2u")
            try await terminal.wait(forText: "sea.jpg")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(for: "a sentence about it") { screen in
                screen.contains("OK") && trouble.words.contains { screen.contains($0) }
            }
            terminal.press(.enter)
            try await terminal.wait(untilGone: "OK")
            #expect(home.photoNames.isEmpty)
        }
    }

    @Test func aClubThatDiesMidUploadIsToldOrOpenedAgain() async throws {
        try await withHeldUpload(after: 200_000) { home, proxy, terminal in
            for server in home.servers { kill(server, SIGKILL) }
            proxy.release()
            let screen = try await terminal.wait(for: "the photo, or a sentence about it") {
                $0.contains("OK") || $0.contains("is in the club")
            }
            if screen.contains("OK") {
                #expect(screen.contains("not uploaded"))
                #expect(home.photoNames.isEmpty)
                terminal.press(.enter)
            } else {
                #expect(home.photoNames == ["big.jpg"])
            }
            try await terminal.waitUntilIdle()
            #expect(terminal.life == .running)
        }
    }

    /// Begins to upload `big.jpg`, a few megabytes, and stops it on its way: after `count` bytes, fewer than a first piece has.
    private func withHeldUpload(
        _ look: Look = .classic, after count: Int,
        _ body: (ClubHome, ClubProxy, TerminalDriver) async throws -> Void
    ) async throws {
        try await withProxy(.hold(after: count), look) { home, proxy, terminal in
            try Photos.noise(width: 2400, height: 1600)
                .write(to: home.work.appending(path: "big.jpg"))
            terminal.type("2u")
            try await terminal.wait(forText: "big.jpg")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await proxy.waitForRequest(to: "upload_session/start", bodyByteCount: count)
            try await body(home, proxy, terminal)
        }
    }

    /// The app in front of a club whose door does this with what is uploaded.
    private func withProxy(
        _ behavior: ClubProxy.Behavior, _ look: Look = .classic,
        _ body: (ClubHome, ClubProxy, TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            let keeper = try await home.open()
            defer { keeper.close() }
            let proxy = try ClubProxy(takingThePlaceOf: try #require(home.socket)) { request in
                request.path.contains("files/upload") ? behavior : .forward
            }
            defer { proxy.stop() }
            let terminal = try await home.open(look)
            defer { terminal.close() }
            try await body(home, proxy, terminal)
        }
    }
}
