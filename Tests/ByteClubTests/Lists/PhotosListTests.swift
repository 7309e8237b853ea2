import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub

/// The photos' list on a screen in memory: the same code as the notes', with rows of its own.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PhotosListTests {
    private func start(
        _ home: ListHome, width: Int = 80, height: Int = 24
    ) async throws -> ListHome.Run {
        let run = try await home.start(width: width, height: height)
        run.screen.press("2")
        await run.screen.wait(for: "sea.jpg")
        return run
    }

    private func makeHome(_ store: InMemoryStore = InMemoryStore()) throws -> ListHome {
        let home = ListHome(store)
        for name in ["sea", "cliff", "lake"] {
            try home.store.plant("picture of \(name)", at: "/photos/\(name).jpg")
        }
        return home
    }

    @Test func uploadsSeveralTogetherAndReplacesNothing() async throws {
        let home = try makeHome()
        let folder = home.folder.appending(path: "pictures")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["sea.jpg", "sea.png", "new.jpg"] {
            let photo = Photos.wide(width: 300, height: 100)
            try (name.hasSuffix("g") ? photo : Data()).write(to: folder.appending(path: name))
        }
        let run = try await start(home)
        run.transfers.start()
        run.photos.pickerFolder = folder.path
        run.screen.press("u")
        await run.screen.wait(for: "new.jpg")
        run.screen.press("^A", "u")
        await run.screen.wait(for: "3 photos are on their way")
        await run.screen.wait { screen in
            ["new.jpg", "sea (2).jpg", "sea (3).jpg"].allSatisfy(screen.text.contains)
        }
        #expect(home.store.contents(of: "/photos/sea.jpg") == Data("picture of sea".utf8))
        await run.end()
    }

    /// Of one photo and of several, what can be no name in the club becomes one.
    @Test func aHostileNameBecomesAName() async throws {
        let home = try makeHome()
        let folder = home.folder.appending(path: "pictures")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in ["a\nb.jpg", "new.jpg"] {
            try Photos.corners().write(to: URL(filePath: folder.path + "/" + name))
        }
        let run = try await start(home)
        run.transfers.start()
        run.photos.pickerFolder = folder.path
        run.screen.press("u")
        await run.screen.wait(for: "new.jpg")
        run.screen.press("^A", "u")
        await run.screen.wait(for: "2 photos are on their way; “a^Jb.jpg” is called “a_b.jpg”")
        await run.screen.wait { $0.text.contains("a_b.jpg ") && $0.text.contains("new.jpg ") }
        run.screen.press("u")
        await run.screen.wait(for: "a^Jb.jpg")
        run.screen.press("/", "a")
        await run.screen.wait { $0.lines.filter { $0.contains("· now") }.count == 1 }
        run.screen.press("Enter", "Enter")
        await run.screen.wait(for: "The club has a photo named “a_b.jpg” already.")
        run.screen.press("Esc")
        await run.end()
    }

    @Test func filesDroppedOntoTheListAreOffered() async throws {
        let home = try makeHome()
        let folder = home.folder.appending(path: "pictures")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Photos.corners().write(to: folder.appending(path: "dropped one.jpg"))
        let run = try await start(home)
        run.screen.application.handle(.paste("no path at all"))
        #expect(!run.screen.text.contains("Upload photos"))
        run.screen.application.handle(.paste("'\(folder.path)/dropped one.jpg' "))
        await run.screen.wait(for: "1 photo is marked.")
        run.screen.press("Esc", "Esc")
        await run.screen.wait(untilGone: "Upload photos")
        await run.end()
    }

    @Test func deletesIntoATrashThatOutlivesTheRun() async throws {
        let home = try makeHome()
        var run = try await start(home)
        run.screen.press("Space", "Space", "d")
        await run.screen.wait(for: "Delete 2 photos?")
        run.screen.press("d")
        await run.screen.wait(for: "2 photos were deleted. z brings them back.")
        #expect(home.store.contents(of: "/photos/cliff.jpg") == nil)
        await run.end()

        run = try await start(home)
        run.screen.press("z")
        await run.screen.wait(for: "2 photos are back.")
        #expect(
            home.store.contents(of: "/photos/cliff.jpg") == Data("picture of cliff".utf8))
        await run.end()
    }

    @Test func bringsBackAPhotoBesideAnotherOfItsName() async throws {
        let home = try makeHome()
        let run = try await start(home)
        run.screen.press("d")
        await run.screen.wait(for: "Delete photo?")
        run.screen.press("d")
        await run.screen.wait(for: "z brings it back.")
        try home.store.plant("another", at: "/photos/cliff.jpg")
        run.screen.press("z")
        await run.screen.wait(for: "“cliff (2).jpg” is back.")
        #expect(home.store.contents(of: "/photos/cliff.jpg") == Data("another".utf8))
        #expect(
            home.store.contents(of: "/photos/cliff (2).jpg") == Data("picture of cliff".utf8))
        await run.end()
    }

    /// A plain WebDAV server keeps no revisions: the photo is moved aside there.
    @Test func bringsBackAfterARestartWhatTheStoreKeepsNoRevisionOf() async throws {
        let home = try makeHome(InMemoryStore(keepsRevisions: false))
        var run = try await start(home)
        run.screen.press("d")
        await run.screen.wait(for: "for 30 days")
        run.screen.press("d")
        await run.screen.wait(for: "“cliff.jpg” was deleted. z brings it back.")
        #expect(home.store.contents(of: "/photos/cliff.jpg") == nil)
        #expect(!run.screen.text.contains(".deleted"))
        await run.end()

        run = try await start(home)
        try home.store.plant("another", at: "/photos/cliff.jpg")
        await run.screen.wait(for: "cliff.jpg")
        run.screen.press("z")
        await run.screen.wait(for: "“cliff (2).jpg” is back.")
        #expect(home.store.contents(of: "/photos/cliff.jpg") == Data("another".utf8))
        #expect(
            home.store.contents(of: "/photos/cliff (2).jpg") == Data("picture of cliff".utf8))
        await run.end()
    }

    @Test(arguments: [(80, 24), (120, 30), (20, 6)])
    func showsTheSizeOfAPhotoInPixels(width: Int, height: Int) async throws {
        let home = ListHome()
        let photo = Photos.wide(width: 300, height: 100)
        let size = try #require(FullSizeComment(width: 16384, height: 8192))
        try home.store.plant(size.added(to: photo), at: "/photos/pano.jpg")
        let run = try await home.start(width: width, height: height)
        run.screen.press("2")
        await run.screen.wait(for: "pano.jpg")
        if width > 30 {
            await run.screen.wait(for: "16384×8192")
        }
        #expect(width > 30 || !run.screen.text.contains("16384"))
        await run.end()
    }

    /// What a store keeps has limits: the first photos of a batch may make room for the last. Here there is room for
    /// none, from the second on.
    @Test func promisesOnlyWhatIsKeptAfterTheLastDeletion() async throws {
        let home = try makeHome()
        let run = try await start(home)
        run.screen.press("Space", "Space", "d")
        await run.screen.wait(for: "Delete 2 photos?")
        func count(_ operation: StoreError.Operation) -> Int {
            home.store.calls.count { $0.operation == operation }
        }
        let (deleted, asked) = (count(.delete), count(.metadata))
        home.store.hold(.metadata)
        run.screen.press("d")
        await home.store.waitForCalls(of: .metadata, count: asked + 1)
        home.store.hold(.delete)
        home.store.release(.metadata)
        await home.store.waitForCalls(of: .delete, count: deleted + 2)
        home.store.forgetRevisions()
        home.store.release(.delete)
        await run.screen.wait(for: "2 photos were deleted.")
        #expect(!run.screen.text.contains("z brings"))
        await run.end()
    }

    @Test func promisesNothingThatWasNotKept() async throws {
        let home = try makeHome()
        let run = try await start(home)
        home.store.forgetRevisions()
        run.screen.press("d")
        await run.screen.wait(for: "Delete photo?")
        run.screen.press("d")
        await run.screen.wait(for: "“cliff.jpg” was deleted.")
        #expect(!run.screen.text.contains("z brings"))
        await run.end()
    }

    @Test func renames() async throws {
        let home = try makeHome()
        let run = try await start(home)
        run.screen.press("r")
        await run.screen.wait(for: "Rename photo")
        run.screen.press("^A", "^K")
        run.screen.type("rock\n")
        await run.screen.wait(for: "rock.jpg")
        #expect(home.store.contents(of: "/photos/rock.jpg") == Data("picture of cliff".utf8))
        await run.end()
    }

    @Test func aLineBreakInANameIsShownEverywhere() async throws {
        let home = try makeHome()
        let photo = Photos.wide(width: 300, height: 100)
        try home.store.plant(photo, at: "/photos/a\nb.jpg")
        let run = try await start(home)
        let screen = run.screen
        screen.press("d")
        await screen.wait(for: "“a^Jb.jpg” will be deleted")
        screen.press("Esc", "r")
        await screen.wait { $0.text.contains("New name") && $0.rows(with: "a^Jb.jpg").count > 1 }
        // As it was, its name stays.
        screen.press("Enter")
        await screen.wait(untilGone: "Rename photo")
        #expect(home.store.contents(of: "/photos/a\nb.jpg") == photo)
        screen.press("Enter")
        await screen.wait(for: "a^Jb.jpg · ")
        screen.press("q")
        await screen.wait(for: "cliff.jpg")
        await run.end()
    }

    @Test func theBoxOfADownloadTellsOfANewFolderOnly() async throws {
        let home = try makeHome()
        try home.store.plant(Photos.corners(), at: "/photos/a\nb.jpg")
        let folder = home.folder.appending(path: "there")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let run = try await start(home)
        let screen = run.screen
        run.transfers.start()
        screen.press("D")
        await screen.wait(for: "Download “a^Jb.jpg”")
        screen.press("^A", "^K")
        screen.type(folder.path + "/none")
        await screen.wait(for: "A new folder will be created.")
        for _ in "/none" { screen.press("Backspace") }
        await screen.wait(untilGone: "A new folder will be created.")
        screen.press("Enter")
        await screen.wait(for: "“a_b.jpg” is in ")
        #expect(FileManager.default.fileExists(atPath: folder.path + "/a_b.jpg"))
        await run.end()
    }

    @Test func saysHowManyAreMarkedWhereThereIsLittleRoom() async throws {
        let home = ListHome()
        for number in 1...1_003 {
            try home.store.plant("p", at: "/photos/p\(number).jpg")
        }
        let run = try await home.start(width: 30, height: 10)
        run.screen.press("2")
        await run.screen.wait(for: "p1.jpg")
        run.screen.press("^A")
        await run.screen.wait { screen in
            screen.lines.contains { $0.contains("─ PanoPhotos ") && $0.contains(" 1003 marked ") }
        }
        await run.end()
    }

    @Test func refusesANameThatIsTaken() async throws {
        let home = try makeHome()
        let run = try await start(home)
        run.screen.press("r")
        await run.screen.wait(for: "Rename photo")
        run.screen.press("^A", "^K")
        run.screen.type("Sea.jpg\n")
        await run.screen.wait(for: "There is a photo named “sea.jpg” already.")
        #expect(home.store.contents(of: "/photos/cliff.jpg") != nil)
        await run.end()
    }

    @Test(arguments: [(80, 24), (200, 60), (20, 6)])
    func sortsFiltersAndMarksAtAnySize(width: Int, height: Int) async throws {
        let home = try makeHome()
        let run = try await home.start(width: width, height: height)
        let screen = run.screen
        screen.press("2")
        await screen.wait(for: "cliff.jpg")
        screen.type("/s e")
        await screen.wait { $0.text.contains("sea.jpg") && !$0.text.contains("cliff.jpg") }
        screen.press("Enter", "Space")
        await screen.wait(for: "▌")
        screen.press("Esc", "Esc", "s")
        await screen.wait { $0.text.contains("cliff.jpg") && !$0.text.contains("▌") }
        await run.end()
    }
}
