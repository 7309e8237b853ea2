import Foundation
import Testing

@testable import ByteClub
@testable import ClubAccess

/// The reader of `config.yml` and the published schema say the same of a file.
@Suite struct SettingsFormTests {
    private func club(_ fields: String, named name: String = "work") -> String {
        "clubs:\n  \(name): {\(fields)}\n"
    }

    private func expect(_ text: String, isRight: Bool) throws {
        let problems = WholeSettings(reading: text).problems
        #expect(problems.isEmpty == isRight, "the reader: \(text) \(problems)")
        let schema = try JSONSchema(SettingsSchema.json())
        #expect(try schema.accepts(text) == isRight, "the schema: \(text)")
    }

    private static let dropbox = "kind: dropbox, app-key: abc"
    private static let nas = "kind: webdav, user: ann, url: "

    @Test(arguments: [
        "", "# mine\n", "version: 1\n", "keys:\ntheme: {}\neditor: ~\ntransfers:\nmouse:\nclubs:\n",
        "mouse: off\n", "mouse: Yes\n", "mouse: true\n",
        "keys: {notes.new: a}\n", "keys: {notes.new: [a, C-n, 7, \"=\"]}\n",
        "keys: {notes.new: []}\n",
        "keys: {notes.new: 7}\n", "keys: {list.first: g h}\n", "keys: {notes.new: M-n}\n",
        "keys: {notes.new: ä}\n", "keys: {editor.save: [F3, ^S]}\n", "keys: {notes.new: S-F12}\n",
        "keys: {notes.new: C-S-Right}\n", "keys: {notes.new: INS}\n",
        "theme: {heading: bold 208}\n", "theme: {heading: 208}\n", "theme: {heading: red bold}\n",
        "theme: {heading: 'white on #005f87 dim'}\n", "theme: {heading: on bright-red}\n",
        "theme: {heading: on red bold blue}\n", "theme: {heading: default on default}\n",
        "theme: {name: high-contrast}\n", "plain: on\n", "transfers: {wait-on-metered: on}\n",
        "editor: {wrap: on, line-numbers: no, tab-width: 16}\n",
        "transfers: {photo-quality: 0.85, limit-rate: 1.5M}\n", "transfers: {limit-rate: 200000}\n",
        "transfers: {photo-original: on, photo-location: off}\n", "transfers: {at-once: 8}\n",
    ])
    func isRight(text: String) throws {
        try expect(text, isRight: true)
    }

    @Test(arguments: [
        "version: 0\n", "version: 2\n", "colour: red\n", "mouse: left\n", "mouse: 1\n", "- mouse\n",
        "keys: {notes.nwe: a}\n", "keys: {notes.new: 17}\n", "keys: {notes.new: nn}\n",
        "keys: {notes.new: Fn}\n", "keys: {notes.new: F64}\n", "keys: {notes.new: C-1}\n",
        "keys: {notes.new: [a, 10]}\n", "keys: {notes.new: {a: b}}\n", "keys: {notes.new: ''}\n",
        "keys: {notes.new: }\n", "keys: {editor.cancel: []}\n", "keys: {editor.save: s}\n",
        "keys: {editor.save: 7}\n", "keys: [a]\n",
        "theme: {name: pink}\n", "plain: 1\n", "theme: {headline: red}\n",
        "theme: {heading: rouge}\n", "theme: {heading: bold 999}\n",
        "theme: {heading: 256}\n", "theme: {heading: bold bold}\n", "theme: {heading: red blue}\n",
        "theme: {heading: red on}\n", "theme: {heading: on on red}\n", "theme: {heading: }\n",
        "theme: {heading: '#005f8'}\n", "theme: {heading: red on blue on green}\n", "theme: dark\n",
        "editor: {wrap: perhaps}\n", "editor: {tab-width: 0}\n", "editor: {tab-width: 4.5}\n",
        "editor: {font: mono}\n", "editor: vim\n",
        "transfers: {photo-quality: 2}\n", "transfers: {limit-rate: fast}\n",
        "transfers: {photo-original: sometimes}\n", "transfers: {limit-rate: 0}\n",
        "transfers: {limit-rate: 0.0M}\n", "transfers: {at-once: 0}\n", "transfers: {at-once: 9}\n",
        "transfers: {limit-rate: 1.2.3M}\n", "transfers: {limit-rate: [1]}\n",
        "clubs: [work]\n", "clubs: {work: }\n", "clubs: {work: {}}\n",
    ])
    func isWrong(text: String) throws {
        try expect(text, isRight: false)
    }

    @Test(arguments: [
        "work", "Work_2.old", "büro", "2026", "a-b", "clubs", String(repeating: "a", count: 64),
    ])
    func isAName(name: String) throws {
        try expect(club(Self.dropbox, named: name), isRight: true)
    }

    @Test(arguments: [
        "embedded", "Club", "a b", "-a", ".a", "a/b", "a:b", "''", "'a\"b'",
        String(repeating: "a", count: 65),
    ])
    func isNoName(name: String) throws {
        try expect(club(Self.dropbox, named: name), isRight: false)
    }

    @Test(arguments: [
        dropbox, dropbox + ", folder: Byte Club", dropbox + ", folder: /a/b/",
        dropbox + ", folder: 2026",
        dropbox + ", folder: ''", dropbox + ", api-url: 'https://gate.local/x'",
        dropbox + ", api-url: 'http://127.0.0.1:8080'", dropbox + ", api-url: 'http://localhost/'",
        dropbox + ", api-url: 'http://[::1]:1'",
        nas + "https://nas.local/club/", nas + "'http://nas.local:8080/a..b/.c/a%20b'",
        nas + "HTTPS://nas.local", nas + "'https://[fe80::1]:5006/club'", nas + "'https://h:65535'",
        "kind: webdav, sign-in: token, url: https://h/c",
        nas + "https://h, sign-in: password, ca-file: /etc/nas.pem, "
            + "pin: 'sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='",
        "kind: webdav, user: 1234, url: https://h/c",
    ])
    func isAClub(fields: String) throws {
        try expect(club(fields), isRight: true)
    }

    @Test(arguments: [
        "kind: pigeon", "app-key: abc", "kind: dropbox", "kind: dropbox, app-key: ''",
        "kind: dropbox, app-key: a b", dropbox + ", colour: red", dropbox + ", folder: a/../b",
        dropbox + ", folder: 'a '", dropbox + ", folder: a//b", dropbox + ", api-url: ftp://x",
        dropbox + ", api-url: 'http://gate.local'", dropbox + ", api-url: 'https://u:p@x/'",
        nas + "'http://u:p@x/'", nas + "'https://u@x/'", nas + "nas.local", nas + "'https://'",
        nas + "'https://h:99999/'", nas + "'https://h:0/'", nas + "'https://h/a/../b'",
        nas + "'https://h/%2E%2e'", nas + "'https://h/./a'", nas + "'https://h/?x'",
        nas + "'https://h/#x'", "kind: webdav, url: https://h/", "kind: webdav, user: ann",
        "kind: webdav, user: 'a:b', url: https://h/", nas + "https://h/, sign-in: token",
        nas + "https://h/, sign-in: magic", nas + "https://h/, ca-file: nas.pem",
        nas + "https://h/, pin: x", "kind: webdav, sign-in: token, url: 'http://nas.local/'",
    ])
    func isNoClub(fields: String) throws {
        try expect(club(fields), isRight: false)
    }
}
