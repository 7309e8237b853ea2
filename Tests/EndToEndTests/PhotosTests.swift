import Foundation
import TestSupport
import Testing

@Suite struct PhotosTests {
    @Test(arguments: Look.all) func showsPanoramasAsThumbnails(look: Look) async throws {
        let photos = [
            "alps.jpg": Photos.wide(width: 1600, height: 400),
            "grey.jpg": Photos.grey(width: 400, height: 100),
            "sea.jpg": Photos.corners(width: 600, height: 200, isProgressive: true),
        ]
        try await withApp(look, photos: photos) { _, terminal in
            terminal.type("2")
            try await terminal.wait(for: "the names") { screen in
                photos.keys.allSatisfy { screen.contains($0) }
            }
            let screen = try await terminal.waitUntilIdle()
            #expect(look.colorProblem(in: screen) == nil)
            // Eight bands and four quarters cannot be told in words alone.
            if look.depth == .many { #expect(screen.colors.count > 8) }
            #expect(!screen.contains("· …"))
        }
    }

    @Test func aDamagedPhotoSpoilsNothing() async throws {
        let photos = ["bad.jpg": Data("no JPEG".utf8), "good.jpg": Photos.corners()]
        try await withApp(photos: photos) { _, terminal in
            terminal.type("2")
            try await terminal.wait { $0.contains("bad.jpg") && $0.contains("good.jpg") }
            let screen = try await terminal.waitUntilIdle()
            #expect(screen.colors.count > 4)
        }
    }

    @Test func thumbnailsThatNeverComeBlockNothing() async throws {
        try await inFreshHome { home in
            for name in ["a.jpg", "b.jpg"] {
                try Photos.corners().write(to: home.photos.appending(path: name))
            }
            try home.write("text\n", toNote: "note.txt")
            let keeper = try await home.open()
            defer { keeper.close() }
            let proxy = try ClubProxy(takingThePlaceOf: try #require(home.socket)) { request in
                request.path.contains("thumbnail") ? .silence : .forward
            }
            defer { proxy.stop() }
            let terminal = try await home.open()
            defer { terminal.close() }
            terminal.type("2")
            try await terminal.wait(forText: "b.jpg")
            terminal.type("j1")
            try await terminal.wait(forText: "note.txt")
            // Never at rest, with thumbnails under way, and quick all the same.
            terminal.press(.enter)
            try await terminal.wait(for: "the note") { $0.contains("text") && !$0.showsTabs }
        }
    }

    @Test func opensAPanorama() async throws {
        try await withApp(photos: ["alps.jpg": Photos.wide(width: 1600, height: 400)]) {
            _, terminal in
            terminal.type("2")
            try await terminal.wait(forText: "alps.jpg")
            try await terminal.waitUntilIdle()
            terminal.press(.enter)
            try await terminal.wait(for: "the picture") { $0.colors.count >= 6 }
            try await terminal.waitUntilIdle()
            terminal.press(.escape)
            try await terminal.waitForTabs()
        }
    }
}

/// Adding photos without a screen.
@Suite struct PhotosCommandTests {
    @Test(arguments: [240_000, 480_000])
    func aFileMadeToCostTimeIsRefused(markerCount: Int) async throws {
        try await inFreshHome { home in
            try Photos.withMarkers(markerCount).write(to: home.work.appending(path: "bomb.jpg"))
            // 5 seconds of a processor, whatever the clock says; the kernel ends it then.
            let output = try await Command(
                "/bin/sh",
                ["-c", #"ulimit -t 5; exec "$0" photos put bomb.jpg"#, ClubHome.program],
                environment: home.environment(), directory: home.work.path
            ).run()
            #expect(output.status == 1)
            #expect(
                output.errorText.contains("“bomb.jpg” was not added because opening it requires"))
            #expect(home.photoNames.isEmpty)
            #expect(home.unfinishedPhotos.isEmpty)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func theFirstSignalEndsTheEncoding(signal: Int32) async throws {
        try await inFreshHome { home in
            // Several seconds of work: they are turned.
            let names = (1...4).map { "wide\($0).jpg" }
            let photo = Photos.wide(orientation: 6)
            for name in names { try photo.write(to: home.work.appending(path: name)) }
            let program = try Conversation(
                ClubHome.program, ["photos", "put"] + names, environment: home.environment(),
                directory: home.work.path)
            let worker = try await program.worker()
            kill(program.processIdentifier, signal)
            #expect(await program.end().status == 128 + signal)
            try await eventually("the worker's end") { ProcessTable.isDead(worker) }
            #expect(home.unfinishedPhotos.isEmpty)
            #expect(home.photoNames.count < names.count)
        }
    }

    @Test func aKillLeavesNothingBehind() async throws {
        try await inFreshHome { home in
            let photo = Photos.wide(isProgressive: true, orientation: 6)
            try photo.write(to: home.work.appending(path: "wide.jpg"))
            let program = try Conversation(
                ClubHome.program, ["photos", "put", "wide.jpg"], environment: home.environment(),
                directory: home.work.path)
            let worker = try await program.worker()
            kill(program.processIdentifier, SIGKILL)
            _ = await program.end()
            // With the program, not when it is through.
            try await eventually("the worker's end") { ProcessTable.isDead(worker) }
            #expect(home.unfinishedPhotos.isEmpty)
            #expect(home.photoNames.isEmpty)
        }
    }

    @Test func aWorkerThatIsKilledCostsItsPhotoAndNoOther() async throws {
        try await inFreshHome { home in
            try Photos.wide(isProgressive: true)
                .write(to: home.work.appending(path: "first.jpg"))
            try Photos.corners().write(to: home.work.appending(path: "second.jpg"))
            let program = try Conversation(
                ClubHome.program, ["photos", "put", "first.jpg", "second.jpg"],
                environment: home.environment(), directory: home.work.path)
            kill(try await program.worker(), SIGKILL)
            let end = await program.end()
            #expect(end.status == 1)
            #expect(home.photoNames == ["second.jpg"])
        }
    }
}

extension Conversation {
    /// The process in which it decodes, as soon as that is at work.
    fileprivate func worker() async throws -> Int32 {
        var worker: Int32?
        try await eventually("a worker") {
            worker = ProcessTable.all.first { process in
                ProcessTable.arguments(of: process) == ["byteclub:", "decoding pictures"]
                    && ProcessTable.parent(of: process) == processIdentifier
            }
            return worker != nil
        }
        return try #require(worker)
    }
}

extension ClubHome {
    /// What `photos put` is writing, in the folder for temporary files.
    fileprivate var unfinishedPhotos: [String] {
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: environment()["TMPDIR"] ?? "/nowhere")
        return (names ?? []).filter { $0.hasPrefix("byteclub-") }
    }
}

@Suite struct TabTests {
    @Test(arguments: Look.all) func goesFromTabToTab(look: Look) async throws {
        let isNotes: @Sendable (TerminalScreen) -> Bool = { $0.contains("note.txt") }
        let isPhotos: @Sendable (TerminalScreen) -> Bool = { $0.contains("alps.jpg") }
        try await withApp(
            look, notes: ["note.txt": "text"], photos: ["alps.jpg": Photos.corners()]
        ) { _, terminal in
            terminal.press(.tab)
            try await terminal.wait(for: "photos after Tab", until: isPhotos)
            terminal.press(.tab)
            try await terminal.wait(for: "notes after Tab", until: isNotes)
            terminal.press(.backTab)
            try await terminal.wait(for: "photos after S-Tab", until: isPhotos)
            terminal.type("1")
            try await terminal.wait(for: "notes after 1", until: isNotes)
            terminal.type("2")
            try await terminal.wait(for: "photos after 2", until: isPhotos)
        }
    }

    @Test func aClickOnATabShowsIt() async throws {
        try await withApp(notes: ["note.txt": "text"], photos: ["alps.jpg": Photos.corners()]) {
            _, terminal in
            #expect(terminal.screen.modes.reportsMouse)
            let tab = try #require(terminal.screen.firstPosition(of: Label.photos))
            terminal.click(tab)
            try await terminal.wait(forText: "alps.jpg")
        }
    }
}
