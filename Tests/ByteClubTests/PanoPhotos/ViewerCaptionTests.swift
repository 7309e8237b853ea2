import ByteClubPictures
import ClubStore
import Foundation
import TerminalUI
import Testing

@testable import ByteClub

@MainActor @Suite struct ViewerCaptionTests {
    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func makeCaption(_ change: (inout ViewerCaption) -> Void = { _ in }) throws
        -> ViewerCaption
    {
        let photo = RemoteFile(
            path: try RemotePath(validating: "/photos/sea.jpg"), revision: Revision(rawValue: "1"),
            byteCount: 2_300_000, modified: now - 3 * 86_400)
        var caption = ViewerCaption(photo: photo)
        change(&caption)
        return caption
    }

    private func text(_ caption: ViewerCaption, isNarrow: Bool = false) -> String {
        caption.line(isNarrow: isNarrow, at: now).text
    }

    @Test func saysWhatIsShownOfThePhoto() throws {
        #expect(text(try makeCaption()) == "sea.jpg · 2.3 MB")
        for (picture, words) in [
            (ViewerCaption.Picture(), "preview"), (.init(isOriginal: true), "the file itself"),
            (.init(isDamaged: true, isOriginal: true), "damaged: part of the picture is missing"),
            (.init(isWhole: false), "preview · sharper in a moment"),
        ] {
            #expect(
                text(try makeCaption { $0.picture = picture }) == "sea.jpg · 2.3 MB · \(words)")
        }
    }

    @Test func aSharperPictureIsCountedWhileItIsFetched() throws {
        let caption = try makeCaption {
            $0.picture = .init(isWhole: false)
            $0.fetched = "fetching 1 MB of 2.3 MB"
            $0.transfer = "↓ 43%"
        }
        #expect(text(caption) == "sea.jpg · 2.3 MB · preview · fetching 1 MB of 2.3 MB · ↓ 43%")
    }

    @Test func onASmallScreenTheZoomComesBeforeTheName() throws {
        let caption = try makeCaption {
            $0.picture = .init()
            $0.heading = "N"
        }
        #expect(text(caption, isNarrow: true) == "N · sea.jpg · 2.3 MB · preview")
    }

    @Test func onASmallScreenWhatIsWrongComesFirst() throws {
        let damaged = try makeCaption {
            $0.picture = .init(isDamaged: true, isOriginal: true)
            $0.heading = "N"
        }
        #expect(text(damaged, isNarrow: true).hasPrefix("damaged · sea.jpg · N"))
        let gone = try makeCaption { $0.isGone = true }
        #expect(text(gone, isNarrow: true).hasPrefix("no longer in the club · sea.jpg"))
    }

    @Test func aPhotoWithoutADateSaysWhenItsFileChanged() throws {
        let caption = try makeCaption {
            $0.picture = .init(isOriginal: true)
            $0.isGone = true
            $0.details = PictureDetails(size: PixelSize(width: 8, height: 4))
        }
        let words = "no longer in the club · the file itself · 8 × 4 · 360° · changed "
        #expect(text(caption).hasPrefix("sea.jpg · 2.3 MB · \(words)"))
    }
}
