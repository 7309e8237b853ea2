import ClubStore
import Foundation
import Testing

@testable import ClubAccess

/// What identifies a club, what signing in again can fix, and the command for it.
@Suite struct SameClubTests {
    private let nas = ClubSettings.Place.webdav("https://nas.local/club", user: "ann")
    private let dropbox = ClubSettings.Place.dropbox(.init(appKey: "k", folder: "f"))

    @Test func addressAndUserMakeAWebDAVClub() {
        for same in [
            "HTTPS://NAS.local/club/", "https://nas.local:443/club", "https://nas.local/%63lub",
            "https://nas.local//club",
        ] {
            #expect(nas.isSame(as: .webdav(same, user: "ann")), "\(same)")
        }
        for other in [
            ClubSettings.Place.webdav("https://nas.local/Club", user: "ann"),
            .webdav("https://nas.local/club", user: "ben"),
            .webdav("https://nas.local/cl/ub", user: "ann"),
            .webdav("https://nas.local/club", user: nil),
            .webdav("http://nas.local/club", user: "ann"),
            .webdav("https://nas.local:444/club", user: "ann"), dropbox, .embedded,
        ] {
            #expect(!nas.isSame(as: other), "\(other)")
        }
    }

    @Test func keyFolderAndGatewayMakeAClubOnDropbox() {
        #expect(dropbox.isSame(as: dropbox))
        for same in ["/f", "f/", "/F/"] {
            #expect(dropbox.isSame(as: .dropbox(.init(appKey: "k", folder: same))), "\(same)")
        }
        let everything = ClubSettings.Place.dropbox(.init(appKey: "k"))
        #expect(everything.isSame(as: .dropbox(.init(appKey: "k", folder: "/"))))
        #expect(!dropbox.isSame(as: everything))
        #expect(!dropbox.isSame(as: .dropbox(.init(appKey: "j", folder: "f"))))
        let gateway = URL(string: "https://gate.local")
        let gated = ClubSettings.Place.dropbox(.init(appKey: "k", apiURL: gateway, folder: "f"))
        #expect(!dropbox.isSame(as: gated))
        let same = URL(string: "https://GATE.local/")
        #expect(gated.isSame(as: .dropbox(.init(appKey: "k", apiURL: same, folder: "f"))))
    }

    @Test(arguments: StoreError.Code.allCases)
    func signingInMendsWhatAPersonCanMend(_ code: StoreError.Code) {
        let error = StoreError(code, during: .list)
        func isFixed(_ place: ClubSettings.Place) -> Bool {
            ClubSettings(name: "c", place: place).isFixedBySignIn(error)
        }
        #expect(!isFixed(.embedded))
        #expect(isFixed(dropbox) == (code == .unauthorized))
        #expect(isFixed(nas) == (code == .unauthorized || code == .untrusted))
    }

    /// It is copied from the screen into a shell.
    @Test func theCommandToSignInIsQuoted() {
        let club = ClubSettings(
            name: "c",
            place: .dropbox(
                .init(appKey: "k;rm", apiURL: URL(string: "https://g/a&b"), folder: "it's")))
        #expect(
            club.loginCommand
                == "dropbox --app-key 'k;rm' --api-url 'https://g/a&b' --folder 'it'\\''s' --name c"
        )
    }
}
