import Foundation
import Synchronization
import TestSupport
import Testing

/// The second program on the libraries, on a terminal and in a pipe.
@Suite struct NerdfeedTests {
    static let program = URL(filePath: ClubHome.program).deletingLastPathComponent()
        .appending(path: "nerdfeed").path

    private func withFeed(
        _ arguments: String..., look: Look = .classic,
        _ body: (TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            let terminal = try TerminalDriver(
                running: TerminalProgram(
                    Self.program, arguments,
                    environment: home.environment(terminal: look.terminal, more: look.environment),
                    directory: home.work.path, size: look.size))
            defer { terminal.close() }
            try await body(terminal)
        }
    }

    private func run(_ arguments: String...) async throws -> Command.Output {
        var output: Command.Output?
        try await inFreshHome { home in
            output = try await Command(
                Self.program, arguments, environment: home.environment(),
                directory: home.work.path, input: Data()
            ).run()
        }
        return try #require(output)
    }

    /// A service with this list; every other address is a page.
    private func makeService(_ list: String, page: String = "<p>A page.") throws -> LoopbackServer {
        try LoopbackServer { request in
            request.target.hasPrefix("/courses")
                ? [.answer("200 OK", ["Content-Type: application/json"], body: list)]
                : [.answer("200 OK", ["Content-Type: text/html; charset=utf-8"], body: page)]
        }
    }

    // MARK: - On the screen

    @Test func showsACourseAndFollowsItsLinksBackAndForward() async throws {
        try await withFeed("--demo") { terminal in
            try await terminal.wait(forText: "Members only")
            #expect(terminal.screen.contains("BNR Courses"))
            #expect(terminal.screen.contains("2031-03-10"))
            terminal.press(.enter)
            try await terminal.wait(forText: "Five days on the language")
            terminal.press(.tab)
            terminal.press(.enter)
            try await terminal.wait(forText: "two columns wide")
            // A page's escape sequence is text.
            #expect(terminal.screen.contains("one here, [31m, is"))
            terminal.press(.left)
            try await terminal.wait(forText: "Five days on the language")
            terminal.press(.right)
            try await terminal.wait(forText: "two columns wide")
            // To a place in the middle of another page, by the link's number.
            terminal.type("1\n")
            try await terminal.wait(forText: "actor Counter")
            #expect(!terminal.screen.contains("Five days"))
            terminal.press(.escape)
            try await terminal.wait(forText: "Members only")
            terminal.type("q")
            #expect(try await terminal.waitForEnd() == .exited(status: 0))
        }
    }

    @Test func asksForNameAndPasswordUntilTheyAreRight() async throws {
        try await withFeed("--demo") { terminal in
            try await terminal.wait(forText: "Members only")
            terminal.type("G\n")
            try await terminal.wait(forText: "wants a name")
            terminal.type("nerd\nwrong\n")
            try await terminal.wait(forText: "did not accept")
            terminal.press(.escape)
            try await terminal.wait(forText: "only for those who log in")
            terminal.type("r")
            try await terminal.wait(forText: "wants a name")
            terminal.type("nerd\nfeed\n")
            try await terminal.wait(forText: "You are in.")
            #expect(!terminal.output.contains("wrong".utf8))
            // What was right is not asked for again.
            terminal.type("r")
            try await terminal.waitUntilIdle()
            #expect(terminal.screen.contains("You are in."))
        }
    }

    /// The list itself is behind a password, and it never leaves in the clear.
    @Test func answersADigestChallengeForTheList() async throws {
        let service = try LoopbackServer { request in
            guard let proof = request["Authorization"], proof.hasPrefix("Digest ") else {
                let field =
                    #"WWW-Authenticate: Digest realm="R", nonce="n", qop="auth", algorithm=SHA-256"#
                return [.answer("401 Unauthorized", [field])]
            }
            return [.answer(body: #"{"courses":[{"title":"Secret course"}]}"#)]
        }
        try await withFeed(service.url("/courses").absoluteString) { terminal in
            try await terminal.wait(forText: "wants a name")
            terminal.press(.escape)
            try await terminal.wait(forText: "press r")
            terminal.type("r")
            try await terminal.wait(forText: "wants a name")
            terminal.type("ann\nhunter2\n")
            try await terminal.wait(forText: "Secret course")
        }
        #expect(!service.requests.contains { $0.head.contains("hunter2") })
    }

    @Test func findsWordsInAPage() async throws {
        let lines = (1...200).map { "<p>line \($0)" }.joined()
        let service = try makeService(
            #"{"courses":[{"title":"Long","url":"/long"}]}"#, page: lines + "<p>needle<p>Needle")
        try await withFeed(service.url("/courses").absoluteString) { terminal in
            try await terminal.wait(forText: "Long")
            terminal.press(.enter)
            try await terminal.wait(forText: "line 1")
            terminal.type("/needle")
            try await terminal.wait(forText: "1 of 2")
            terminal.type("\n")
            terminal.type("n")
            try await terminal.wait(forText: "2 of 2")
            terminal.press(.escape)
            try await terminal.wait(untilGone: "2 of 2")
            terminal.type("gg")
            try await terminal.wait(forText: "line 1")
            terminal.type("/nothing")
            try await terminal.wait(forText: "no match")
        }
    }

    @Test func saysWhyThereIsNothingAndTriesAgain() async throws {
        let count = Atomic(0)
        let service = try LoopbackServer { _ in
            count.add(1, ordering: .relaxed).oldValue == 0
                ? [.answer("503 Service Unavailable")]
                : [.answer(body: #"{"courses":[{"title":"Back again"}]}"#)]
        }
        try await withFeed(service.url("/courses").absoluteString) { terminal in
            try await terminal.wait(forText: "has failed (503)")
            terminal.type("r")
            try await terminal.wait(forText: "Back again")
            // It has no page.
            terminal.press(.enter)
            try await terminal.wait(forText: "names no page")
            service.stop()
            terminal.type("r")
            try await terminal.wait(forText: "does not answer")
            #expect(terminal.screen.contains("Back again"))
        }
    }

    @Test func stopsAPageThatDoesNotEnd() async throws {
        let gate = LoopbackGate()
        defer { gate.open() }
        let service = try LoopbackServer { request in
            request.target == "/courses"
                ? [.answer(body: #"{"courses":[{"title":"Slow","url":"/slow"}]}"#)]
                : [
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"),
                    .send(String(repeating: "x", count: 2000)), .wait(gate),
                ]
        }
        try await withFeed(service.url("/courses").absoluteString) { terminal in
            try await terminal.wait(forText: "Slow")
            terminal.press(.enter)
            try await terminal.wait(forText: "2 KB of 5 KB")
            terminal.press(.escape)
            try await terminal.wait(forText: "Stopped.")
        }
    }

    /// The picture is drawn in colors, and words stand for it where there are none.
    @Test(arguments: [
        Look.classic, Look("NO_COLOR", .classic, "xterm-256color", .mono, ["NO_COLOR": "1"]),
    ])
    func showsThePictureOfAPage(look: Look) async throws {
        try await withFeed("--demo", look: look) { terminal in
            try await terminal.wait(forText: "Text on Terminals")
            terminal.type("j\n")
            try await terminal.wait(forText: "two columns wide")
            try await terminal.waitUntilIdle()
            let words = "[A grid of cells with one wide letter]"
            #expect(terminal.screen.contains(words) == (look.depth == .mono))
            // On its own.
            terminal.type("2\n")
            try await terminal.wait(forText: "289 × 201")
            try await expectPossibleColors(look, terminal)
        }
    }

    @Test func showsTheFieldThatHasTheKeysOnATinyScreen() async throws {
        let tiny = Look("tiny", TerminalSize(columns: 20, rows: 6), "xterm-256color", .many)
        try await withFeed("--demo", look: tiny) { terminal in
            try await terminal.wait(forText: "Advanced Swift")
            terminal.type("G\n")
            try await terminal.wait(forText: "Name")
            terminal.type("nerd\n")
            try await terminal.wait(untilGone: "Name")
            try await terminal.waitUntilIdle()
            let label = try #require(terminal.screen.firstPosition(of: "Password"))
            #expect(terminal.screen.cursor.row == label.row + 1)
            terminal.type("feed\n")
            try await terminal.wait(forText: "════")
        }
    }

    @Test func followsNoOtherLinkThanTheOneThatWasTyped() async throws {
        let links = (1...9).map { "<p><a href=/courses>link</a> \($0)" }.joined()
        let service = try makeService(
            #"{"courses":[{"title":"Links","url":"/links"}]}"#, page: "<title>P</title>" + links)
        try await withFeed(service.url("/courses").absoluteString) { terminal in
            try await terminal.wait(forText: "Links")
            terminal.press(.enter)
            try await terminal.wait(forText: "[9]link 9")
            terminal.type("777")
            try await terminal.wait(forText: "There is no link 777 on this page.")
            terminal.press(.enter)
            try await terminal.wait(forText: "No link is chosen")
            #expect(service.requests.count == 2)
        }
    }

    @Test func saysThatAPageIsEmpty() async throws {
        let service = try makeService(
            #"{"courses":[{"title":"Empty","url":"/empty"}]}"#, page: "")
        try await withFeed(service.url("/courses").absoluteString) { terminal in
            try await terminal.wait(forText: "Empty")
            terminal.press(.enter)
            try await terminal.wait(forText: "This page is empty.")
        }
    }

    @Test func readsAScreenAloud() async throws {
        try await withFeed(
            "--plain", "--demo", look: Look("plain", .classic, "xterm-256color", .mono)
        ) {
            terminal in
            try await terminal.wait(forText: "Text on Terminals")
            terminal.type("j\n")
            try await terminal.wait(forText: "[A grid of cells with one wide letter]")
            #expect(!terminal.screen.contains("│"))
            // The cursor is where the keys go.
            terminal.press(.tab)
            try await terminal.waitUntilIdle()
            let screen = terminal.screen
            let row = screen.rows[screen.cursor.row]
            #expect(String(row.dropFirst(screen.cursor.column)).hasPrefix("[1]"))
        }
    }

    static let looks = [
        Look.classic, .wide,
        Look("tiny", TerminalSize(columns: 20, rows: 6), "xterm-256color", .many),
        Look("NO_COLOR", .classic, "xterm-256color", .mono, ["NO_COLOR": "1"]),
        Look("mono", .classic, "vt100", .mono),
    ]

    @Test(arguments: looks) func worksOnAnyScreen(look: Look) async throws {
        try await withFeed("--demo", look: look) { terminal in
            try await terminal.wait(forText: "Advanced Swift")
            #expect(terminal.screen.contains("BNR Courses"))
            terminal.press(.enter)
            try await terminal.wait(forText: "════")
            try await expectPossibleColors(look, terminal)
            terminal.type("G1")
            try await terminal.wait(forText: "[1]")
            terminal.type("\n")
            try await terminal.wait(forText: "Text on Term")
            terminal.type("?")
            try await terminal.wait(forText: "Keys")
            terminal.press(.escape)
            terminal.resize(to: TerminalSize(columns: 120, rows: 30))
            try await terminal.wait(forText: "BNR Courses")
            try await expectPossibleColors(look, terminal)
        }
    }

    @Test func speaksChinese() async throws {
        let look = Look(
            "zh", .classic, "xterm-256color", .many,
            ["LANG": "zh_CN.UTF-8", "LC_ALL": "zh_CN.UTF-8"])
        try await withFeed("--demo", look: look) { terminal in
            try await terminal.wait(forText: "BNR 课程")
            terminal.type("?")
            try await terminal.wait(forText: "按键")
        }
    }

    // MARK: - In a pipe

    @Test func listsTheCoursesWithTabsBetween() async throws {
        let service = try makeService(
            #"""
            {"courses":[{"title":"A\tb\u001b[31m","url":"/a b","upcoming":[{"start_date":"2999-02-01"},
            {"start_date":"2999-01-01","instructors":[1]},7]},{"title":7,"url":"http://x/"},3,{}]}
            """#)
        let plain = try await run(service.url("/courses").absoluteString)
        let root = service.url("").absoluteString
        #expect(plain.status == 0)
        #expect(plain.text == "A b^[[31m\t\(root)/a%20b\t2999-01-01\nhttp://x/\thttp://x/\t\n")
        #expect(plain.errorText.contains("2 entries"))
        let json = try await run("ls", "--json", service.url("/courses").absoluteString)
        #expect(!json.text.contains("\u{1B}"))
        let list =
            try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [[String: String]]
        #expect(list?.first?["title"] == "A b\u{1B}[31m")
    }

    @Test func escapesQueryArguments() async throws {
        let service = try makeService(#"{"courses":[]}"#)
        let output = try await run(
            "ls", service.url("/courses").absoluteString, "--query", "year=2014", "--query",
            "name=a b&c")
        #expect(output.status == 0)
        let target = service.requests.first?.target
        #expect(target == "/courses?year=2014&name=a%20b%26c")
    }

    @Test(arguments: [
        ("<html><p>Not a list</html>", "a web page"), ("", "is empty"),
        (#"{"courses":7}"#, "not a list of courses"),
        (String(repeating: "[", count: 10_000), "not a list of courses"),
        (
            #"{"courses":"# + String(repeating: "[", count: 10_000), "not a list of courses"
        ), (String(repeating: " ", count: 5 << 20), "longer than 4 MiB"),
    ])
    func refusesWhatIsNotAList(body: String, sentence: String) async throws {
        let service = try LoopbackServer { _ in [.answer(body: body)] }
        let output = try await run("ls", service.url("/courses").absoluteString)
        #expect(output.status == 1)
        #expect(output.errorText.contains(sentence), "\(output.errorText)")
        #expect(output.text.isEmpty)
    }

    @Test func saysThatMoreThanTheLimitIsLeftOut() async throws {
        let entry = #"{"title":"c","url":"/c"}"#
        let list = Array(repeating: entry, count: 20_001).joined(separator: ",")
        let service = try makeService("{\"courses\":[\(list)]}")
        let output = try await run("ls", service.url("/courses").absoluteString)
        #expect(output.text.split(separator: "\n").count == 20_000)
        #expect(output.errorText == "nerdfeed: Only the first 20,000 courses are shown.\n")
    }

    @Test func readsTitlesInTheEncodingTheyAreIn() async throws {
        let service = try LoopbackServer { _ in
            // 高级课程 in GBK.
            let title: [UInt8] = [0xB8, 0xDF, 0xBC, 0xB6, 0xBF, 0xCE, 0xB3, 0xCC]
            let body = Array(#"{"courses":[{"title":""#.utf8) + title + Array(#""}]}"#.utf8)
            return [.answer("200 OK", ["Content-Type: application/json"], body: body)]
        }
        let output = try await run("ls", service.url("/courses").absoluteString)
        #expect(output.text == "高级课程\t\t\n")
    }

    /// The shell cannot ask for them; the screen does.
    @Test func saysWhereANameAndAPasswordAreAskedFor() async throws {
        let service = try LoopbackServer { _ in
            [.answer("401 Unauthorized", [#"WWW-Authenticate: Basic realm="R""#])]
        }
        let address = service.url("/courses").absoluteString
        let none = try await run("ls", address)
        #expect(none.status == 1)
        #expect(none.errorText.contains("requires a user name and a password (401)."))
        #expect(none.errorText.contains("nerdfeed ADDRESS"))
        let wrong = try await run("ls", address.replacing("http://", with: "http://ann:no@"))
        #expect(wrong.status == 1)
        #expect(wrong.errorText.contains("did not accept the user name and the password in the"))
    }

    /// https was assumed, and the server speaks http.
    @Test func proposesHTTPForAnAddressWithoutScheme() async throws {
        let service = try LoopbackServer(scripts: [
            [.read(byteCount: 100), .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .close]
        ])
        let output = try await run("ls", "127.0.0.1:\(service.port)/courses")
        #expect(output.status == 1)
        #expect(output.errorText.contains("begin the address with http://"), "\(output.errorText)")
    }

    /// A proxy's error is not reported as the server's.
    @Test func namesTheProxyThatFailed() async throws {
        let proxy = try LoopbackServer { _ in
            [.answer("407 No", ["Proxy-Authenticate: Basic realm=p"])]
        }
        for (address, words) in [
            (
                Int(proxy.port),
                "the proxy 127.0.0.1:\(proxy.port) wants a name and a password. Check"
            ),
            (9, "the proxy 127.0.0.1:9 cannot be reached. Check the proxy"),
        ] {
            try await inFreshHome { home in
                let output = try await Command(
                    Self.program, ["ls", "https://courses.invalid/"],
                    environment: home.environment(more: [
                        "https_proxy": "http://127.0.0.1:\(address)"
                    ]), directory: home.work.path, input: Data()
                ).run()
                #expect(output.status == 1)
                #expect(output.errorText.contains(words), "\(output.errorText)")
            }
        }
    }

    @Test func endsALoopOfRedirects() async throws {
        let service = try LoopbackServer { _ in
            [.answer("302 Found", ["Location: /courses"])]
        }
        let output = try await run("ls", service.url("/courses").absoluteString)
        #expect(output.status == 1)
        #expect(output.errorText.contains("redirects endlessly"))
    }

    /// The name of a subcommand is not the address.
    @Test(arguments: [
        (["ls", "--"], "--json", "--theme"), (["ls", "http://h/", "--"], "--json", "--theme"),
        (["--"], "--theme", "--json"), (["http://h/", "--"], "--theme", "--json"),
        (["l"], "ls", "help"), ([""], "help", "--json"), (["ls"], "ls", "--json"),
    ])
    func proposesTheOptionsOfTheCommand(words: [String], one: String, none: String) async throws {
        try await inFreshHome { home in
            let proposals = try await home.propose(words, of: Self.program)
            #expect(proposals.contains(one) && !proposals.contains(none), "\(proposals)")
        }
    }

    @Test func tellsOfBadUsage() async throws {
        let version = try await run("--version").text
        #expect(version.hasPrefix("nerdfeed ") && version.contains("\nlibxml2 2."), "\(version)")
        let help = try await run("--help")
        #expect(help.status == 0)
        for word in [
            "USAGE: nerdfeed [<address>]", "--query", "--demo", "--theme", "--plain", "ls",
        ] {
            #expect(help.text.contains(word), "\(word)")
        }
        let completions = try await run("--generate-completion-script", "bash").text
        #expect(completions.contains("--demo"))
        // zsh, too, is told that the first word may be a subcommand, and goes on with that one's options.
        let zsh = try await run("--generate-completion-script", "zsh").text
        #expect(
            zsh.contains(#"[[ "${words[2]}" = (ls|help) ]]"#)
                && zsh.contains("':address:->command'"))
        #expect(!zsh.contains("'(-): :->command'"))
        let keys = try await run("keys", "--json").text
        #expect(keys.contains("Follow the chosen link"))
        // No list has marks.
        #expect(keys.contains("Half a page down") && !keys.contains("ark"), "\(keys)")
        for arguments in [
            [], ["--nonsense"], ["ftp://x/"], ["--demo", "http://x/"], ["http://x:99999/"],
        ] {
            var status: Int32?
            try await inFreshHome { home in
                status = try await Command(
                    Self.program, arguments, environment: home.environment(),
                    directory: home.work.path, input: Data()
                ).run().status
            }
            #expect(status == 2, "\(arguments)")
        }
    }
}
