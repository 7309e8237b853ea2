import Foundation
import Testing

@testable import ClubAccess

/// The list of clubs, the current one, and the files.
@Suite struct ClubRegistryTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "registry-\(UUID().uuidString)")
    private let work = ClubSettings(name: "work", place: .dropbox(.init(appKey: "abc")))

    private var registry: ClubRegistry {
        ClubRegistry(
            paths: Paths(environment: [
                "HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/config",
                "XDG_STATE_HOME": folder.path + "/state",
            ]))
    }

    private func mode(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }

    @Test func theEmbeddedClubIsAlwaysThere() throws {
        #expect(registry.read().clubs == [.embedded])
        #expect(try registry.club(named: nil) == .embedded)
        for name in ["embedded", "club", "Club"] {
            #expect(try registry.club(named: name) == .embedded)
        }
    }

    @Test func remembersTheClubOpenedLast() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try registry.settingsFile.set(work)
        try registry.makeCurrent(work)
        #expect(try registry.club(named: nil) == work)
        #expect(try registry.club(named: "WORK") == work)
        #expect(try mode(folder.path + "/state/byteclub/clubs.json") == 0o600)
        try registry.forget(work)
        #expect(try registry.club(named: nil) == .embedded)
        #expect(registry.read().clubs == [.embedded, work])
    }

    @Test func aClubThatIsGoneIsNotReplacedByAnother() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try registry.makeCurrent(work)
        #expect(throws: ClubChoiceError.gone("work")) { try registry.club(named: nil) }
        #expect(throws: ClubChoiceError.unknown("wrok", known: ["embedded"])) {
            try registry.club(named: "wrok")
        }
    }

    /// Writes the settings and returns the error for “work”, the club opened last.
    private func choice(with text: String) throws -> ClubChoiceError? {
        try registry.settingsFile.set(work)
        try registry.makeCurrent(work)
        try Data(text.utf8).write(to: registry.settingsFile.url)
        do throws(ClubChoiceError) {
            _ = try registry.club(named: nil)
            return nil
        } catch {
            return error
        }
    }

    /// The file, and the line that may hide the club.
    @Test(arguments: [
        ("mouse: left\nclubs:\n  work: {kind: dropbox}\n", 3),
        ("clubs:\n  other: {kind: pigeon}\n  Work: {kind: dropbox}\n", 3),
        ("keys: {notes.nwe: a}\nclubs: [work]\n", 2),
        ("keys: {notes.nwe: a}\nclubs:\n  work: [\n", 4),
        ("clubs:\nmouse: on\nclubs:\n  work: {kind: dropbox, app-key: abc}\n", 3),
        ("- work\n", 1), ("version: 9\nkeys: {notes.new: nn}\nclubs:\n  work: {kind: pigeon}\n", 4),
    ])
    func aClubBehindAWrongLineIsNotSaidToBeGone(text: String, line: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = try #require(try choice(with: text))
        guard case .unreadable("work", let problem) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(problem.contains("line \(line):"), "\(problem)")
    }

    @Test func aFileThatCannotBeReadIsNotSaidToBeWithoutTheClub() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try registry.settingsFile.set(work)
        try registry.makeCurrent(work)
        try Data([0xFF, 0xFE, 0xFF]).write(to: registry.settingsFile.url)
        #expect(throws: ClubChoiceError.self) { try registry.club(named: nil) }
        do throws(ClubChoiceError) {
            _ = try registry.club(named: nil)
        } catch {
            #expect(error.description.contains("UTF-8"), "\(error)")
        }
    }

    /// A reported line, once fixed, must solve the problem.
    @Test(arguments: [
        "keys:\n  notes.nw: a\n", "mouse: left\n", "keys:\n  notes.new: [a\n",
        "clubs:\n  other: {kind: dropbox}\n", "clubs:\n  a b: {kind: dropbox, app-key: k}\n",
        "clubs:\n  other: {kind: dropbox, app-key: k, colour: red}\n", "version: 9\n",
    ])
    func anotherWrongLineIsNotToBlame(text: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try choice(with: text) == .gone("work"))
    }

    @Test(arguments: ["{", "[]", "{\"secrets\": 7}"])
    func aMemoryThatCannotBeReadIsNotWrittenOver(text: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try registry.settingsFile.set(work)
        try registry.makeCurrent(work)
        let file = folder.appending(path: "state/byteclub/clubs.json")
        try Data(text.utf8).write(to: file)
        #expect(throws: SettingsError.self) { try registry.makeCurrent(.embedded) }
        #expect(throws: SettingsError.self) { try registry.remember(secretsOf: work, in: .file) }
        #expect(throws: ClubChoiceError.self) { try registry.club(named: nil) }
        #expect(try registry.club(named: "work") == work)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test func aPlaceThatANewerProgramKnowsStays() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try registry.settingsFile.set(work)
        try registry.makeCurrent(work)
        let file = folder.appending(path: "state/byteclub/clubs.json")
        try Data("{\"secrets\": {\"other\": \"chip\"}}".utf8).write(to: file)
        try registry.remember(secretsOf: work, in: .file)
        #expect(registry.secretPlace(of: work) == .file)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("chip"))
    }

    @Test func clubsJoinedAtOnceAreAllWritten() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let names = (1...20).map { "club\($0)" }
        let registry = registry
        try await withThrowingTaskGroup { group in
            for name in names {
                group.addTask {
                    let club = ClubSettings(name: name, place: .dropbox(.init(appKey: "k")))
                    try registry.settingsFile.set(club)
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(registry.read().clubs.map(\.name)) == Set(names + ["embedded"]))
    }

    @Test func aBrokenOrNewerFileIsNotTouched() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = registry.settingsFile
        try FileManager.default.createDirectory(
            at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        for text in ["clubs: [\n", "version: 2\n", "clubs: {a: {kind: dropbox, app-key: k}}\n"] {
            try Data(text.utf8).write(to: file.url)
            #expect(throws: SettingsError.self) { try file.set(work) }
            #expect(try String(contentsOf: file.url, encoding: .utf8) == text)
        }
    }

    @Test func aFileBehindALinkIsChangedWhereItIsAndKeepsItsRights() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = registry.settingsFile
        let real = folder.appending(path: "dotfiles.yml")
        try FileManager.default.createDirectory(
            at: file.url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("# mine\n".utf8).write(to: real)
        chmod(real.path, 0o640)
        try FileManager.default.createSymbolicLink(at: file.url, withDestinationURL: real)
        try file.set(work)
        let text = try String(contentsOf: real, encoding: .utf8)
        #expect(text.hasPrefix("# mine\n\nclubs:\n  work:\n"))
        #expect(try mode(real.path) == 0o640)
        let type = try FileManager.default.attributesOfItem(atPath: file.url.path)[.type]
        #expect(type as? FileAttributeType == .typeSymbolicLink)
    }

    @Test func eachClubHasDraftsOfItsOwn() {
        #expect(registry.drafts(of: .embedded) == registry.paths.drafts)
        #expect(registry.drafts(of: work).path.contains("/state/byteclub/clubs/@"))
    }

    /// Neither a club's name nor the notation of its address identifies it.
    @Test func aClubIsItsServerAccountAndFolder() throws {
        func webdav(_ address: String, _ user: String, name: String = "work") throws -> URL {
            let url = try #require(URL(string: address))
            let place = ClubSettings.Place.webdav(.init(url: url, signIn: .password(user: user)))
            return registry.drafts(of: ClubSettings(name: name, place: place))
        }
        let folder = try webdav("https://a.example/club", "ann")
        #expect(try webdav("https://A.example:443/club/", "ann", name: "renamed") == folder)
        #expect(try webdav("https://b.example/club", "ann") != folder)
        #expect(try webdav("https://a.example/other", "ann") != folder)
        #expect(try webdav("https://a.example/club", "bob") != folder)
        #expect(try webdav("https://a.example/ann", "club") != folder)
    }

    @Test func anotherAccountIsAnotherClub() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let unknown = registry.drafts(of: work)
        try registry.remember(account: "dbid:A", of: work)
        let first = registry.drafts(of: work)
        try registry.remember(account: "dbid:B", of: work)
        #expect(Set([unknown, first, registry.drafts(of: work)]).count == 3)
        try registry.remember(account: "dbid:A", of: work)
        #expect(registry.drafts(of: work) == first)
        #expect(registry.earlierDrafts(of: work).contains(unknown))
    }

    @Test func whatWasKeptUnderTheNameOfAnotherClubStaysThere() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = try #require(URL(string: "https://a.example/club"))
        let club = ClubSettings(
            name: "nas", place: .webdav(.init(url: url, signIn: .password(user: "ann"))))
        let named = registry.paths.stateFolder.appending(path: "clubs/nas")
        try FileManager.default.createDirectory(at: named, withIntermediateDirectories: true)
        for (account, isOurs) in [
            ("https://a.example/club/", true), ("https://b.example/club/", false),
        ] {
            try Data(#"{"account":"\#(account)"}"#.utf8).write(
                to: named.appending(path: "abilities.json"))
            let drafts = named.appending(path: "drafts")
            #expect(registry.earlierDrafts(of: club).contains(drafts) == isOurs)
        }
    }

    @Test func manyProgramsAtOnceUndoNothing() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let registry = self.registry
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let club = ClubSettings(name: "c\(number)", place: .dropbox(.init(appKey: "k")))
                    try? registry.remember(secretsOf: club, in: .file)
                }
            }
        }
        for number in 0..<20 {
            let club = ClubSettings(name: "c\(number)", place: .dropbox(.init(appKey: "k")))
            #expect(registry.secretPlace(of: club) == .file)
        }
    }
}
