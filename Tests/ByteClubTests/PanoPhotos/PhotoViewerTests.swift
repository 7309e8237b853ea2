import ClubStore
import ClubStoreTestSupport
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The viewer over the list, on a screen in memory.
@MainActor @Suite(.timeLimit(.minutes(1))) struct PhotoViewerTests {
    private func open(
        _ home: ListHome, width: Int = 80, height: Int = 24
    ) async throws -> ListHome.Run {
        let run = try await home.start(width: width, height: height)
        run.screen.press("2")
        await run.screen.wait(for: "a.jpg")
        return run
    }

    private func makeHome(_ names: String...) throws -> ListHome {
        let home = ListHome()
        for name in names {
            try home.store.plant(Photos.wide(width: 300, height: 100), at: "/photos/" + name)
        }
        return home
    }

    /// A photo of 2 MB, half of which has been fetched for its preview until that is released.
    private func makeHomeWithSlowPreview() throws -> ListHome {
        let home = ListHome()
        let photo = Photos.wide(width: 300, height: 100) + Data(count: 2_000_000)
        try home.store.plant(photo, at: "/photos/a.jpg")
        home.store.hold(.thumbnail)
        return home
    }

    @Test func theListFollowsTheViewer() async throws {
        let run = try await open(try makeHome("a.jpg", "b.jpg", "c.jpg"))
        run.screen.press("Enter")
        await run.screen.wait(for: "a.jpg · ")
        run.screen.press("n", "n")
        await run.screen.wait(for: "c.jpg · ")
        run.screen.press("q")
        await run.screen.wait(for: "b.jpg")
        #expect(run.photos.files.selected?.name == "c.jpg")
        await run.end()
    }

    /// Another member does so while it is on the screen.
    @Test func aPhotoThatIsReplacedIsShownAnewAndARemovedOneIsSaidToBeGone() async throws {
        let home = try makeHome("a.jpg")
        let run = try await open(home)
        run.screen.press("Enter")
        await run.screen.wait(for: "a.jpg · fit")
        let before = run.screen.text
        let new = Photos.corners(width: 700, height: 500)
        try home.store.plant(new, at: "/photos/a.jpg")
        run.club.refresh()
        await run.screen.wait(for: Wording.byteCount(Int64(new.count)))
        await run.screen.wait { !$0.text.contains("sharper in a moment") }
        #expect(run.screen.text != before)
        try home.store.uproot("/photos/a.jpg")
        run.club.refresh()
        await run.screen.wait(for: "no longer in the club")
        run.screen.press("D")
        await run.screen.wait(for: "It is no longer in the club.")
        await run.end()
    }

    /// While another one is on the screen.
    @Test func theNextPhotoIsTheOneThatTheClubHasNow() async throws {
        let home = try makeHome("a.jpg", "b.jpg", "c.jpg")
        let run = try await open(home)
        run.screen.press("Enter")
        await run.screen.wait(for: "a.jpg · ")
        let new = Photos.corners(width: 700, height: 500)
        try home.store.plant(new, at: "/photos/b.jpg")
        try home.store.uproot("/photos/c.jpg")
        run.club.refresh()
        await run.screen.wait { _ in run.club.contents.sorted(.photos).count == 2 }
        run.screen.press("n")
        await run.screen.wait(for: Wording.byteCount(Int64(new.count)))
        run.screen.press("n")
        await run.screen.wait(for: "no longer in the club")
        await run.end()
    }

    @Test(arguments: ["l", "h", "L", "H", "a"] as [KeySequence])
    func saysWhyItDoesNotTurn(key: KeySequence) async throws {
        let run = try await open(try makeHome("a.jpg"))
        run.screen.press("Enter")
        await run.screen.wait(for: "a.jpg · fit")
        run.screen.press(key)
        await run.screen.wait(for: "The whole width is in sight.")
        await run.end()
    }

    @Test func zoomsPansAndFits() async throws {
        let run = try await open(try makeHome("a.jpg"))
        run.screen.press("Enter")
        await run.screen.wait(for: "a.jpg · fit")
        let whole = run.screen.text
        run.screen.press("+", "+", "+")
        await run.screen.wait(untilGone: "a.jpg · fit")
        let middle = run.screen.text
        run.screen.press("l", "l")
        await run.screen.wait { $0.text != middle }
        // To the edge, and no farther.
        for _ in 0..<40 { run.screen.press("l") }
        let edge = run.screen.text
        run.screen.press("l")
        #expect(run.screen.text == edge)
        run.screen.press("0")
        await run.screen.wait(for: "a.jpg · fit")
        #expect(run.screen.text == whole)
        await run.end()
    }

    @Test func saysHowMuchOfThePictureIsHere() async throws {
        let home = try makeHomeWithSlowPreview()
        let run = try await open(home)
        run.screen.press("Enter")
        await run.screen.wait(for: "Fetching the picture… 1.0 MB of 2.0 MB")
        home.store.release(.thumbnail)
        await run.screen.wait(for: "a.jpg · fit")
        #expect(!run.screen.text.contains("etching"))
        await run.end()
    }

    /// Its bytes are not fetched a second time for a preview.
    @Test func aPhotoThatIsDownloadedIsNotFetchedTwiceMeanwhile() async throws {
        let home = try makeHomeWithSlowPreview()
        home.store.hold(.download)
        try FileManager.default.createDirectory(
            at: home.folder.appending(path: "there"), withIntermediateDirectories: true)
        let run = try await open(home)
        run.transfers.start()
        run.screen.press("Enter")
        await run.screen.wait(for: "Fetching the picture…")
        run.screen.press("D")
        await run.screen.wait(for: "Download “a.jpg”")
        run.screen.press("^A", "^K")
        run.screen.type(home.folder.path + "/there")
        run.screen.press("Enter")
        await run.screen.wait(for: "↓")
        await run.screen.wait(untilGone: "Fetching the picture…")
        // A file without the photo's date is not shown as the photo: its preview is fetched again.
        home.store.release(.download)
        await run.screen.wait(for: "Fetching the picture…")
        home.store.release(.thumbnail)
        await run.screen.wait(for: "a.jpg · fit")
        await run.end()
    }

    @Test func showsTheTransfers() async throws {
        let run = try await open(try makeHome("a.jpg"))
        run.screen.press("Enter")
        await run.screen.wait(for: "a.jpg · ")
        run.screen.press("w")
        await run.screen.wait(for: "No transfers.")
        run.screen.press("Esc")
        await run.screen.wait(untilGone: "No transfers.")
        await run.screen.wait(for: "a.jpg · ")
        run.screen.press("?")
        await run.screen.wait(for: "Back to the list")
        await run.end()
    }

    @Test func whatMayPassIsTriedAgain() async throws {
        let home = try makeHome("a.jpg")
        let run = try await open(home)
        // The list's thumbnail is here.
        await run.screen.wait { screen in
            screen.text.unicodeScalars.contains { (0x2580...0x259F).contains($0.value) }
        }
        home.store.failNext(.thumbnail, with: .badAnswer)
        run.screen.press("Enter")
        await run.screen.wait(for: "r tries again.")
        #expect(run.screen.text.contains("was not understood"))
        run.screen.press("r")
        await run.screen.wait(untilGone: "r tries again.")
        await run.screen.wait(for: "fit")
        await run.end()
    }

    @Test(arguments: [(80, 24), (20, 6)])
    func saysOnSeveralLinesWhyThereIsNoPicture(width: Int, height: Int) async throws {
        let home = ListHome()
        try home.store.plant("no picture at all", at: "/photos/a.jpg")
        let run = try await open(home, width: width, height: height)
        run.screen.press("Enter")
        await run.screen.wait(for: "could not")
        await run.screen.wait(for: "because")
        #expect(height < 24 || run.screen.text.contains("to open."))
        #expect(!run.screen.text.contains("tries again"))
        await run.end()
    }
}
