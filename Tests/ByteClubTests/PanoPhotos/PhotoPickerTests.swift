import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub

/// The picker on a screen in memory, over folders of the test's own.
@MainActor @Suite(.timeLimit(.minutes(1))) final class PhotoPickerTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("picker-\(UUID().uuidString)", isDirectory: true)
    private var selection: PhotoSelection?

    init() throws {
        let photo = Photos.wide(width: 300, height: 100)
        for name in ["a/one.jpg", "a/two.jpg", "a/.three.jpg", "b/my sea.jpg", "b/four.png"] {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try photo.write(to: file)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func open(
        _ name: String = "a", width: Int = 80, height: Int = 24, taking pasted: String? = nil
    ) async throws -> AppScreen {
        let root = ViewController()
        let screen = try AppScreen(root, width: width, height: height)
        root.present(
            PhotoPickerViewController(startingIn: path(name), taking: pasted) { [weak self] in
                self?.selection = $0
            })
        return screen
    }

    @Test func marksOfSeveralFoldersAreUploadedTogether() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.press("Space")
        await screen.wait(for: "1 photo is marked.")
        screen.press("Backspace")
        await screen.wait(for: "b/")
        screen.press("j", "Enter")
        await screen.wait(for: "my sea.jpg")
        screen.press("^A")
        await screen.wait(for: "3 photos are marked.")
        screen.press("u")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths == [path("a/one.jpg"), path("b/four.png"), path("b/my sea.jpg")])
        #expect(selection?.keepsOriginals == false)
        #expect(selection?.folder == path("b"))
    }

    /// They look the same, and are two files.
    @Test func marksOneOfTwoNamesThatLookTheSame() async throws {
        let names = ["\u{E9}.jpg", "e\u{301}.jpg"]
        try FileManager.default.createDirectory(
            atPath: path("c"), withIntermediateDirectories: true)
        for name in names {
            try FileManager.default.copyItem(atPath: path("a/one.jpg"), toPath: path("c/" + name))
        }
        let screen = try await open("c")
        await screen.wait { $0.lines.count { $0.contains(names[0]) } == 2 }
        screen.press("Space")
        await screen.wait(for: "1 photo is marked.")
        screen.press("u")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths.count == 1)
        let chosen = Array((selection?.paths.first ?? "").utf8)
        #expect(names.contains { Array(path("c/" + $0).utf8) == chosen })
    }

    @Test func comesBackToTheFolderThatWasLeft() async throws {
        let screen = try await open("b")
        await screen.wait(for: "my sea.jpg")
        screen.press("Backspace")
        await screen.wait(for: "b/")
        screen.press("Enter")
        await screen.wait(for: "my sea.jpg")
    }

    @Test func foldersCannotBeMarked() async throws {
        let screen = try await open(".")
        await screen.wait(for: "b/")
        screen.press("g g", "Space", "^A")
        await screen.wait(for: "a/")
        #expect(!screen.text.contains("marked"))
    }

    @Test func showsThumbnailsBesideTheNames() async throws {
        try Photos.noise(width: 120, height: 60).write(to: folder.appending(path: "a/one.jpg"))
        let screen = try await open()
        await screen.wait { screen in
            screen.text.unicodeScalars.contains { (0x2580...0x259F).contains($0.value) }
        }
        await screen.wait(for: "one.jpg")
    }

    @Test func showsHiddenFilesAndSortsByDate() async throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: path("a/one.jpg")
        )
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        #expect(!screen.text.contains(".three.jpg"))
        screen.press(".")
        await screen.wait(for: ".three.jpg")
        #expect(screen.order(of: ["one.jpg", "two.jpg"]) == ["one.jpg", "two.jpg"])
        screen.press("s")
        await screen.wait(for: "by date")
        await screen.wait { $0.order(of: ["one.jpg", "two.jpg"]) == ["two.jpg", "one.jpg"] }
        screen.press("o")
        await screen.wait(for: "photos go as they are")
        screen.press("G", "Enter")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.keepsOriginals == true)
    }

    @Test func filtersAsOtherListsDo() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.type("/tw")
        await screen.wait(untilGone: "one.jpg")
        screen.press("Enter", "Enter")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths == [path("a/two.jpg")])
    }

    @Test func whatFitsBestIsSelectedWhileOneTypes() async throws {
        for name in ["rot6gps.jpg", "r6.jpg"] {
            try Photos.corners().write(to: folder.appending(path: "a/" + name))
        }
        let screen = try await open()
        await screen.wait(for: "rot6gps.jpg")
        screen.type("/r")
        await screen.wait(untilGone: "one.jpg")
        screen.type("6")
        await screen.wait { $0.order(of: ["r6.jpg", "rot6gps.jpg"]).first == "r6.jpg" }
        screen.press("Enter", "Enter")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths == [path("a/r6.jpg")])
    }

    @Test func aPathDoesNotBeginWithTheFilter() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.type("/tw\n")
        await screen.wait(untilGone: "one.jpg")
        screen.type("~")
        await screen.wait { $0.lines.contains { $0.contains("│ ~/ ") } }
        #expect(!screen.text.contains("/tw"))
        screen.press("Esc")
        await screen.wait(for: "one.jpg")
        screen.type("/tw")
        await screen.wait(untilGone: "one.jpg")
        screen.application.handle(.paste(path("b/my sea.jpg")))
        await screen.wait(for: "1 photo is marked.")
        screen.press("u")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths == [path("b/my sea.jpg")])
    }

    @Test(arguments: [
        ("/sea", PickerText.filter("sea")), ("/~", .path("~")), ("/~/Pic", .path("~/Pic")),
        ("/a~", .filter("a~")), ("/~old", .filter("~old")), ("~/Pic", .path("~/Pic")),
        ("/usr/", .path("/usr/")), ("//", .path("//")), ("sea", .filter("sea")),
    ])
    func aTildeInFrontBeginsAPath(typed: String, meaning: PickerText) {
        #expect(PickerText(typed) == meaning)
    }

    @Test(arguments: [
        ("/Pics/sub/", "/home/me/Pics/sub"), ("/etc/x", "/etc/x"), ("//", "/"),
        ("~/Pics/", "/home/me/Pics"), ("Pics/a.jpg", "/home/me/Pics/a.jpg"),
    ])
    func aSlashThatOpensTheLineIsNotTheTopOfTheDisk(line: String, path: String) {
        #expect(
            TypedPath.resolve(line: line, in: "/home/me", home: "/home/me") { $0 == "etc" } == path)
    }

    @Test func aPathInTheFolderCanBeTyped() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.press("~", "^U")
        screen.type("../b/my sea.jpg\n")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths == [path("b/my sea.jpg")])
    }

    @Test func aPhotoOfNoFolderIsNotLookedFor() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.type(path("nowhere") + "/x.jpg")
        await screen.wait(for: "No such folder")
        #expect(!screen.text.contains("Nothing here has"))
        screen.press("Enter")
        let picker = try #require(
            screen.application.topViewController as? PhotoPickerViewController)
        await picker.taking?.value
        await screen.wait(for: "No such folder")
        #expect(!screen.text.contains("There is no file"))
        screen.press("Esc")
        await screen.wait(for: "two.jpg")
        screen.type(path("a") + "/x.jpg\n")
        await screen.wait(for: "There is no file")
    }

    @Test func escapePeelsOneLayerAfterTheOther() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.type("/tw\n")
        screen.press("Space")
        await screen.wait(for: "1 photo is marked.")
        screen.press("Esc")
        await screen.wait(untilGone: "marked")
        #expect(!screen.text.contains("one.jpg"))
        screen.press("Esc")
        await screen.wait(for: "one.jpg")
        screen.press("Esc")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection == nil)
    }

    @Test func saysThatThereIsNoSuchFolder() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.type(path("nowhere") + "/")
        await screen.wait(for: "No such folder")
        #expect(!screen.text.contains("cannot be read"))
        screen.press("Esc")
        await screen.wait(for: "two.jpg")
    }

    @Test func marksWhatIsPasted() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.application.handle(
            .paste(
                "'\(path("b/my sea.jpg"))' file://\(path("a/one.jpg")) '\(path("b/gone.jpg"))'\n"))
        await screen.wait(for: "gone.jpg”.")
        await screen.wait(for: "two.jpg")
        screen.press("u")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths == [path("a/one.jpg"), path("b/my sea.jpg")])
    }

    @Test func goesToAFolderThatIsPasted() async throws {
        let screen = try await open(taking: path("b"))
        await screen.wait(for: "my sea.jpg")
        #expect(!screen.text.contains("marked"))
    }

    @Test func enterRightAfterAPasteTakesWhatWasPasted() async throws {
        let screen = try await open()
        await screen.wait(for: "two.jpg")
        screen.application.handle(.paste(path("b/my sea.jpg")))
        screen.press("Enter")
        await screen.wait(untilGone: "Upload photos")
        #expect(selection?.paths == [path("b/my sea.jpg")])
    }

    @Test(arguments: [(80, 24), (200, 60), (20, 6)])
    func worksAtAnySize(width: Int, height: Int) async throws {
        let screen = try await open(width: width, height: height)
        await screen.wait(for: "one.jpg")
        screen.press("Space", "k", "u")
        await screen.wait(untilGone: "one.jpg")
        #expect(selection?.paths == [path("a/one.jpg")])
    }
}
