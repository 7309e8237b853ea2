import ClubStore
import Foundation
import Testing

@testable import ClubAccess

/// Which name a club gets, and that saving it is atomic.
@Suite struct ClubRegistrationTests {
    private let home = LoginHome()

    private func webdav(
        _ address: String = "https://nas.local/club", user: String = "ann", pin: Character? = nil
    ) -> ClubSettings.Place {
        .webdav(address, user: user, pin: pin.flatMap(Self.key))
    }

    private static func key(_ letter: Character) -> ServerKey? {
        ServerKey("sha256//" + String(repeating: letter, count: 42) + "A=")
    }

    private func name(
        _ place: ClubSettings.Place, named name: String? = nil
    ) throws -> ClubSettings {
        try home.keeping.club(named: name, at: place, usually: "webdav")
    }

    private func keep(_ secret: String, _ club: ClubSettings) async throws {
        try await home.keeping.keep(Data(secret.utf8), for: club)
    }

    // MARK: - Names

    @Test func anotherClubGetsAnotherNameAndTheSameOneItsOwn() async throws {
        let first = try name(webdav())
        #expect(first.name == "webdav")
        try await keep("one", first)
        #expect(try name(webdav(user: "ben")).name == "webdav-2")
        #expect(try name(webdav("https://nas.local/other")).name == "webdav-2")
        for same in ["https://nas.local/club", "https://nas.local/club/", "HTTPS://NAS.local/club"]
        {
            #expect(try name(webdav(same)).name == "webdav", "\(same)")
        }
    }

    /// A signed-out club stays in the settings for the next sign-in, and must not be overwritten.
    @Test func aClubThatNobodyIsSignedInToKeepsItsName() throws {
        try home.registry.settingsFile.set(ClubSettings(name: "webdav", place: webdav()))
        #expect(try name(webdav(user: "ben")).name == "webdav-2")
        // An explicit name selects that club.
        #expect(try name(webdav(user: "ben"), named: "WebDAV").name == "webdav")
    }

    @Test func aNameOfAnotherClubIsRefused() async throws {
        try await keep("one", ClubSettings(name: "home", place: webdav()))
        for (wanted, place) in [
            ("Home", webdav(user: "ben")), ("embedded", webdav()), ("a b", webdav()),
        ] {
            #expect(throws: SignInError.self) { try name(place, named: wanted) }
        }
        #expect(try name(webdav(), named: "Home").name == "home")
    }

    /// A changed server key: the club is the same, with the key accepted last.
    @Test func newTrustReplacesTheOld() async throws {
        try await keep("one", ClubSettings(name: "home", place: webdav(pin: "a")))
        for wanted in [nil, "home"] {
            let club = try name(webdav(pin: "b"), named: wanted)
            #expect(club == ClubSettings(name: "home", place: webdav(pin: "b")))
        }
        let club = ClubSettings(name: "home", place: webdav(pin: "b"))
        try await keep("two", club)
        #expect(home.registry.read().clubs.last == club)
        #expect(try await home.secret(of: club) == "two")
    }

    // MARK: - All or nothing

    @Test func keepsTheClubTheSecretAndThatItIsTheCurrentOne() async throws {
        let club = ClubSettings(name: "home", place: webdav(pin: "a"))
        try await keep("one", club)
        #expect(try home.registry.club(named: nil) == club)
        #expect(home.registry.secretPlace(of: club) == .file)
        #expect(try await home.secret(of: club) == "one")
    }

    /// The program does not change clubs written on one line.
    @Test func whatCannotBeKeptLeavesTheSignInThatWorked() async throws {
        let old = ClubSettings(name: "home", place: webdav(pin: "a"))
        try await keep("one", old)
        let line =
            "clubs: {home: {kind: webdav, url: 'https://nas.local/club', user: ann, "
            + "pin: 'sha256//\(String(repeating: "a", count: 42))A='}}\n"
        try home.write(settings: line)
        #expect(home.registry.read().clubs.last == old)
        await #expect(throws: SignInError.self) {
            try await keep("two", ClubSettings(name: "home", place: webdav(pin: "b")))
        }
        #expect(try await home.secret(of: old) == "one")
        #expect(home.registry.secretPlace(of: old) == .file)
        #expect(home.settingsText == line)
        #expect(try home.registry.club(named: nil) == old)
        // Nothing is left of a club whose sign-in failed.
        let new = ClubSettings(name: "new", place: webdav(user: "ben"))
        await #expect(throws: SignInError.self) { try await keep("three", new) }
        #expect(try await !home.hasFile(of: "new"))
        #expect(home.registry.secretPlace(of: new) == nil)
    }

    /// The account decides whose drafts are this club's.
    @Test func aFailedSignInLeavesTheAccountThatWasThere() async throws {
        let club = ClubSettings(name: "cloud", place: .dropbox(.init(appKey: "k")))
        try await home.keeping.keep(Data("one".utf8), for: club, account: "dbid:old")
        let drafts = home.registry.drafts(of: club)
        // Another key in the settings, which cannot be written.
        try home.write(settings: "clubs: {cloud: {kind: dropbox, app-key: k, folder: old}}\n")
        await #expect(throws: SignInError.self) {
            try await home.keeping.keep(Data("two".utf8), for: club, account: "dbid:new")
        }
        #expect(home.registry.account(of: club) == "dbid:old")
        #expect(home.registry.drafts(of: club) == drafts)
        let new = ClubSettings(name: "new", place: .dropbox(.init(appKey: "other")))
        await #expect(throws: SignInError.self) {
            try await home.keeping.keep(Data("three".utf8), for: new, account: "dbid:x")
        }
        #expect(home.registry.account(of: new) == nil)
    }

    @Test func settingsThatNeedNoChangeAreNoReasonToRefuse() async throws {
        let club = ClubSettings(name: "home", place: webdav(pin: "a"))
        let line =
            "clubs: {home: {kind: webdav, url: 'https://nas.local/club', user: ann, "
            + "pin: 'sha256//\(String(repeating: "a", count: 42))A='}}\n"
        try home.write(settings: line)
        try await keep("one", club)
        #expect(try await home.secret(of: club) == "one")
        #expect(home.settingsText == line)
    }

    /// Two programs that sign in at once choose the same name.
    @Test func aNameThatWasTakenMeanwhileIsNotOverwritten() async throws {
        let first = try name(webdav())
        let second = try name(webdav(user: "ben"))
        #expect(first.name == second.name)
        try await keep("one", first)
        let error = await #expect(throws: SignInError.self) { try await keep("two", second) }
        #expect(error?.description.contains("another club named “webdav”") == true)
        #expect(try await home.secret(of: first) == "one")
        #expect(home.registry.read().clubs.last == first)
    }

    @Test func manyAtOnceAllStay() async throws {
        let home = home
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let club = ClubSettings(name: "c\(number)", place: webdav(user: "u\(number)"))
                group.addTask {
                    try await home.keeping.keep(Data("secret \(number)".utf8), for: club)
                }
            }
            try await group.waitForAll()
        }
        let clubs = home.registry.read().clubs.filter { $0.place != .embedded }
        #expect(clubs.count == 8)
        for club in clubs { #expect(home.registry.secretPlace(of: club) == .file) }
    }

    @Test func givenUpInTimeNothingIsKept() async throws {
        let club = ClubSettings(name: "home", place: webdav())
        let home = home
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await home.keeping.keep(Data("one".utf8), for: club)
        }
        await #expect(throws: SignInError.self) { try await task.value }
        #expect(home.settingsText.isEmpty)
        #expect(try await !home.hasFile(of: "home"))
        #expect(home.registry.secretPlace(of: club) == nil)
    }

    // MARK: - The keyring

    @Test func aKeyringThatIsLockedLeavesItsSecretAndTheFileHasTheNewOne() async throws {
        let keyring = TestKeyring()
        let home = LoginHome(keyring: keyring)
        let club = ClubSettings(name: "home", place: webdav())
        try await home.keeping.keep(Data("one".utf8), for: club)
        #expect(home.registry.secretPlace(of: club) == .keyring)
        keyring.lock()
        try await home.keeping.keep(Data("two".utf8), for: club)
        #expect(home.registry.secretPlace(of: club) == .file)
        #expect(try await home.secret(of: club) == "two")
    }
}
