import ClubStore
import Foundation
import Testing

@testable import ClubAccess

/// `config.yml` as people write it, right and wrong.
@Suite struct SettingsTests {
    @Test func readsClubs() {
        let settings = Settings(
            reading: """
                # mine
                version: 1
                clubs:
                  work:            # at work
                    kind: dropbox
                    app-key: abc123
                    folder: Byte Club
                  gate:
                    kind: dropbox
                    app-key: "k"
                    api-url: http://127.0.0.1:8080/dropbox
                """)
        #expect(settings.problems.isEmpty)
        #expect(
            settings.clubs == [
                ClubSettings(
                    name: "work", place: .dropbox(.init(appKey: "abc123", folder: "Byte Club"))),
                ClubSettings(
                    name: "gate",
                    place: .dropbox(
                        .init(
                            appKey: "k", apiURL: URL(string: "http://127.0.0.1:8080/dropbox")))),
            ])
    }

    /// Not everybody escapes all of an address, or none of it.
    @Test func readsAddressesAsPeopleWriteThem() throws {
        let settings = Settings(
            reading: """
                clubs:
                  nas:
                    kind: webdav
                    url: https://münchen.de/张三/My%20Club
                    user: ann
                  gate:
                    kind: dropbox
                    app-key: k
                    api-url: https://gate.example/a[1]%20b
                """)
        #expect(settings.problems.isEmpty)
        let place = ClubSettings.Place.webdav(
            .init(
                url: try #require(
                    URL(string: "https://xn--mnchen-3ya.de/%E5%BC%A0%E4%B8%89/My%20Club")),
                signIn: .password(user: "ann")))
        let gate = try #require(URL(string: "https://gate.example/a%5B1%5D%20b"))
        #expect(
            settings.clubs == [
                ClubSettings(name: "nas", place: place),
                ClubSettings(name: "gate", place: .dropbox(.init(appKey: "k", apiURL: gate))),
            ])
    }

    @Test func readsWebDAVClubs() throws {
        let key = "sha256//" + Data(repeating: 7, count: 32).base64EncodedString()
        let settings = Settings(
            reading: """
                clubs:
                  home:
                    kind: webdav
                    url: https://nas.local:5006/club
                    user: ann
                    ca-file: /etc/nas.pem
                    pin: \(key)
                  lan: {kind: webdav, url: "http://nas.local/club", user: ann}
                  work: {kind: webdav, url: "https://work.example/dav", sign-in: token}
                """)
        #expect(settings.problems.isEmpty)
        guard case .webdav(let home) = try #require(settings.clubs.first).place else {
            Issue.record("\(settings.clubs)")
            return
        }
        #expect(home.url.absoluteString == "https://nas.local:5006/club")
        #expect(home.authoritiesFile == "/etc/nas.pem")
        #expect(home.pin?.description == key)
        #expect(settings.clubs.count == 3)
        #expect(
            settings.clubs.last?.place == .webdav("https://work.example/dav", user: nil))
        for club in settings.clubs {
            #expect(Settings(reading: ClubSection("").setting(club) ?? "").clubs == [club])
        }
    }

    @Test(arguments: ["", "# nothing\n", "clubs:\n", "clubs: {}\n", "---\n"])
    func nothingIsNoProblem(text: String) {
        let settings = Settings(reading: text)
        #expect(settings.clubs.isEmpty)
        #expect(settings.problems.isEmpty)
    }

    /// The text, the reported line, a word of its message, and how many clubs remain.
    @Test(arguments: [
        ("clubs:\n  a:\n    kind: dropbox\n    app-key: k\n  b:\n    kind: ftp\n", 6, "ftp", 1),
        (
            "clubs:\n  a:\n    kind: dropbox\n    app-key: k\n  a:\n    kind: dropbox\n", 5,
            "line 2", 1
        ),
        ("clubs:\n  a:\n    kind: dropbox\n    app-key: k\n  A:\n    kind: dropbox\n", 5, "“A”", 1),
        ("clubs:\n  embedded:\n    kind: dropbox\n    app-key: k\n", 2, "taken", 0),
        ("clubs:\n  ../x:\n    kind: dropbox\n    app-key: k\n", 2, "letters", 0),
        ("clubs:\n  a:\n    kind: dropbox\n", 2, "app-key", 0),
        ("clubs:\n  a: yes\n", 2, "kind", 0),
        ("clubs:\n  a:\n    kind: webdav\n    url: https://h/\n", 2, "user", 0),
        (
            "clubs:\n  a:\n    kind: webdav\n    url: https://h/\n    sign-in: key\n    user: u\n",
            5, "token", 0
        ),
        (
            "clubs:\n  a:\n    kind: webdav\n    url: https://h/\n    sign-in: token\n    user: u\n",
            6, "no “user”", 0
        ),
        (
            "clubs:\n  a:\n    kind: webdav\n    url: http://h/\n    sign-in: token\n", 4,
            "https", 0
        ),
        ("clubs:\n  a:\n    kind: webdav\n    user: u\n", 2, "url", 0),
        ("clubs:\n  a:\n    kind: webdav\n    url: h\n    user: u\n", 4, "https", 0),
        ("clubs:\n  a: {kind: webdav, url: https://h/, user: u, pin: x}\n", 2, "sha256", 0),
        (
            "clubs:\n  a:\n    kind: webdav\n    url: https://h/\n    user: u\n    ca-file: a.pem\n",
            6, "absolute", 0
        ),
        ("clubs:\n  a:\n    kind: dropbox\n    folder: b\n    app-key: ü\n", 5, "App Console", 0),
        ("clubs:\n  a:\n    kind: dropbox\n    app-key: k\n    size:\n      9\n", 5, "size", 1),
        (
            "clubs:\n  a:\n    kind: webdav\n    url: https://h/\n    ca-file: /a\n    user: \"u:v\"\n",
            6,
            "user", 0
        ),
        ("clubs:\n  - a\n", 2, "names", 0),
        ("clubs:\n  a:\n    kind: dropbox\n    app-key: k\n    colour: red\n", 5, "colour", 1),
        (
            "clubs:\n  a:\n    kind: dropbox\n    app-key: k\n    api-url: http://example.org\n", 5,
            "https", 0
        ),
        (
            "clubs:\n  a:\n    kind: dropbox\n    app-key: k\n    api-url: https://u:p@h/\n", 5,
            "password", 0
        ),
        ("clubs:\n  a:\n    kind: dropbox\n    app-key: [k]\n", 4, "single", 0),
        ("thme: dark\nclubs:\n  a:\n    kind: dropbox\n    app-key: k\n", 1, "thme", 1),
        ("clubs:\n  a:\n    kind: dropbox\n    app-key: k\nclubs:\n", 5, "twice", 1),
        ("clubs:\n\ta: b\n", 2, "read", 0),
        ("clubs: &x\n  a: *x\n", 2, "aliases", 0),
        ("a: 1\n---\nb: 2\n", 2, "second document", 0),
        ("just words\n", 1, "settings", 0),
        ("version: new\n", 1, "number", 0),
    ])
    func aWrongLineIsToldWithItsPlaceAndTheRestWorks(
        text: String, line: Int, word: String, clubCount: Int
    ) {
        let settings = Settings(reading: text)
        #expect(
            settings.problems.contains { $0.line == line && $0.sentence.contains(word) },
            "\(settings.problems)")
        #expect(settings.clubs.count == clubCount)
    }

    @Test func aNewerFileIsReadAsFarAsItIsKnown() {
        let settings = Settings(
            reading: """
                version: 9
                sounds: loud
                clubs:
                  a: {kind: dropbox, app-key: k, shape: round}
                  b: {kind: carrier-pigeon}
                """)
        #expect(settings.isNewer)
        #expect(settings.clubs.map(\.name) == ["a"])
        #expect(settings.problems.map(\.line) == [1])
    }

    @Test func deepAndLargeFilesAreRefused() {
        let deep = String(repeating: "[", count: 5000)
        #expect(Settings(reading: deep).problems.count == 1)
        let large = "# " + String(repeating: "x", count: 2 << 20)
        #expect(Settings(reading: large).problems.count == 1)
    }
}
