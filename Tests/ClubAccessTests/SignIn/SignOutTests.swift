import ClubLibrary
import ClubStore
import Foundation
import ByteClubPictures
import Testing

@testable import ClubAccess

/// Signing out with failures.
@Suite struct SignOutTests {
    private let club = ClubSettings(
        name: "home", place: .webdav("https://nas.local/c", user: "ann"))

    @Test func theSecretAndItsPlaceAreForgottenAndTheClubStays() async throws {
        let home = LoginHome()
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        let outcome = try await SignOut.signOut(
            club, registry: home.registry, secrets: home.secrets)
        guard case .done = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try await !home.hasFile(of: "home"))
        #expect(home.registry.secretPlace(of: club) == nil)
        #expect(home.registry.read().clubs.contains(club))
        #expect(try home.registry.club(named: nil) == .embedded)
        guard case .wasSignedOut = try await SignOut.signOut(club, registry: home.registry) else {
            Issue.record("signed out twice")
            return
        }
    }

    @Test func whatWasLookedAtGoesWithTheSignIn() async throws {
        let home = LoginHome()
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        let cache = home.registry.pictureCache
        let image = PixelImage(
            size: PixelSize(width: 8, height: 4), filledWith: .init(red: 1, green: 2, blue: 3))
        func key(_ club: ClubSettings) -> PictureCache.Key {
            PictureCache.Key(
                club: home.registry.pictureCacheName(of: club), path: "/photos/a.jpg",
                revision: "1", file: nil)
        }
        for club in [club, .embedded] {
            cache.keep(PictureLevels(image), PictureDetails(size: image.size), for: key(club))
        }
        _ = try await SignOut.signOut(club, registry: home.registry, secrets: home.secrets)
        #expect(cache.picture(for: key(club)) == nil)
        #expect(cache.picture(for: key(.embedded)) != nil)
    }

    @Test func thumbnailsGoWithTheSignIn() async throws {
        let home = LoginHome()
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        let path = try RemotePath(validating: "/photos/a.jpg")
        let size = try #require(RemoteThumbnailSize.allCases.first)
        let secret = Data("a face that only members know".utf8)
        func copy(_ club: ClubSettings) -> LocalCopy {
            LocalCopy(folder: home.registry.libraryFolder(of: club))
        }
        let (folder, note) = (
            home.registry.libraryFolder(of: club), try RemotePath(validating: "/note.txt")
        )
        for club in [club, .embedded] {
            try copy(club).keepThumbnail(
                secret, of: path, revision: Revision(rawValue: "1"), size: size)
        }
        _ = try copy(club).enqueue(.write(Data("words".utf8), at: note, mode: .create))
        // As an older program leaves one that it cannot read.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("library.sqlite") {
            try FileManager.default.copyItem(
                at: folder.appending(path: name),
                to: folder.appending(
                    path: name.replacing("library.sqlite", with: "library-newer.sqlite")))
        }
        _ = try await SignOut.signOut(club, registry: home.registry, secrets: home.secrets)
        #expect(
            FileManager.default.fileExists(
                atPath: folder.appending(path: "library-newer.sqlite").path))
        let kept = LocalCopy(folder: folder)
        #expect(
            try kept.thumbnail(of: path, revision: Revision(rawValue: "1"), size: size) == nil)
        // What waits for the next sign-in does not go.
        #expect(try kept.waitingChanges().count == 1)
        #expect(
            try copy(.embedded).thumbnail(of: path, revision: Revision(rawValue: "1"), size: size)
                == secret)
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
            let file = folder.appending(path: name)
            guard try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            else { continue }
            let data = try Data(contentsOf: file)
            #expect(data.firstRange(of: secret) == nil, "in \(name)")
        }
    }

    private func transfers(_ home: LoginHome) throws -> TransferJournal {
        let journal = TransferJournal(folder: home.registry.transfersFolder(of: club))
        for name in ["a", "b"] {
            var order = TransferOrder(
                .download, try RemotePath(validating: "/photos/\(name).jpg"),
                file: URL(filePath: "/tmp/\(name).jpg"))
            if name == "b" { order.intent = .cancel }
            try journal.write(order)
        }
        return journal
    }

    /// The process that carries them out would go on with the old sign-in, and then fail.
    @Test func transfersWaitForAPersonAfterwards() async throws {
        let home = LoginHome()
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        let journal = try transfers(home)
        _ = try await SignOut.signOut(club, registry: home.registry, secrets: home.secrets)
        #expect(journal.items().map(\.order.intent) == [.pause, .cancel])
    }

    @Test func transfersGoOnWhenTheSignOutHasFailed() async throws {
        let keyring = TestKeyring()
        let home = LoginHome(keyring: keyring)
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        let journal = try transfers(home)
        keyring.lock()
        await #expect(throws: SignInError.self) {
            try await SignOut.signOut(club, registry: home.registry, secrets: home.secrets)
        }
        #expect(journal.items().map(\.isWanted) == [true, false])
    }

    /// A secret that is still in the keyring must not be forgotten, or it would never be removed.
    @Test func aKeyringThatIsLockedKeepsThePersonSignedIn() async throws {
        let keyring = TestKeyring()
        let home = LoginHome(keyring: keyring)
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        keyring.lock()
        let error = await #expect(throws: SignInError.self) {
            try await SignOut.signOut(club, registry: home.registry, secrets: home.secrets)
        }
        #expect(error?.description == SecretError.keyringLocked.description)
        #expect(home.registry.secretPlace(of: club) == .keyring)
        #expect(keyring.accounts.count == 1)
        #expect(try home.registry.club(named: nil) == club)
    }

    @Test func aFileThatCannotBeRemovedKeepsThePersonSignedIn() async throws {
        let home = LoginHome()
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        let file = home.folder.appending(path: "state/byteclub/secrets/home.json")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        await #expect(throws: SignInError.self) {
            try await SignOut.signOut(club, registry: home.registry, secrets: home.secrets)
        }
        #expect(home.registry.secretPlace(of: club) == .file)
    }

    @Test func givenUpInTimeNothingIsForgotten() async throws {
        let home = LoginHome()
        let club = club
        try await home.keeping.keep(PasswordVault.encode("secret"), for: club)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await SignOut.signOut(club, registry: home.registry, secrets: home.secrets)
        }
        await #expect(throws: SignInError.self) { try await task.value }
        #expect(home.registry.secretPlace(of: club) == .file)
        #expect(try await home.hasFile(of: "home"))
    }
}
