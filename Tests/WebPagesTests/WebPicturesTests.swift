import Foundation
import TerminalUI
import TestSupport
import Testing
import WebText

@testable import WebPages

/// Pictures in pages: brought when they are near, decoded apart, in the place of their words.
@MainActor @Suite struct WebPicturesTests {
    private func withPage(
        _ server: LoopbackServer, _ path: String = "/page",
        on terminal: PictureTerminal = PictureTerminal(), depth: ColorDepth = .direct,
        isPlain: Bool = false, size: Size = Size(width: 60, height: 20),
        _ body: (PageScreen) async throws -> Void
    ) async throws {
        let page = try PageScreen(terminal, depth: depth, isPlain: isPlain, size: size)
        defer { page.close() }
        page.controller.open(server.url(path))
        try await body(page)
    }

    private func targets(_ server: LoopbackServer) -> [String] {
        server.requests.map(\.target).filter { $0 != "/page" }
    }

    @Test func showsAPictureInPlaceOfItsWords() async throws {
        let server = try LoopbackServer(
            page: "<p>Before<p><img src=/a.jpg alt='Four quarters'><p>After"
        ) { _ in [.picture(Photos.corners(width: 288, height: 180))] }
        try await withPage(server) { page in
            try await page.wait(for: "a picture") { page.pictureCellCount > 20 }
            #expect(!page.screen.text.contains("Four quarters"))
            // 180 pixels are ten lines of 18.
            #expect(page.screen.lines[3...12].allSatisfy { !$0.contains("After") })
            #expect(page.screen.lines[14].contains("After"))
            // Words again, without another request.
            page.type("i")
            #expect(page.screen.text.contains("[Four quarters]"))
            page.type("i")
            #expect(page.pictureCellCount > 20)
            #expect(targets(server) == ["/a.jpg"])
        }
    }

    @Test func showsWordsInRoomOfTheRightSizeWhileAPictureIsOnItsWay() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer(
            page: "<p><img src=/a.jpg alt='Four quarters' width=288 height=180><p>After"
        ) { _ in [.wait(gate), .picture(Photos.corners(width: 288, height: 180))] }
        try await withPage(server) { page in
            try await page.wait(forText: "[Four quarters]")
            let row = page.screen.lines.firstIndex { $0.contains("After") }
            #expect(row == 12)
            gate.open()
            try await page.wait(for: "a picture") { page.pictureCellCount > 20 }
            #expect(page.screen.lines.firstIndex { $0.contains("After") } == row)
        }
    }

    @Test func keepsTheReadersPlaceWhenAPictureAboveComes() async throws {
        let gate = LoopbackGate()
        let lines = (1...100).map { "<p>line \($0)" }.joined()
        let server = try LoopbackServer(page: "<p><img src=/a.jpg alt='Words'>\(lines)") { _ in
            [.wait(gate), .picture(Photos.corners(width: 288, height: 180))]
        }
        try await withPage(server) { page in
            try await page.wait(forText: "line 1")
            page.type("jjjjjj")
            let (before, count) = (page.firstLine, page.controller.webView.layout?.lines.count ?? 0)
            #expect(before.contains("line"))
            gate.open()
            try await page.wait(for: "its room") {
                (page.controller.webView.layout?.lines.count ?? 0) > count
            }
            #expect(page.firstLine == before)
            page.type("gg")
            try await page.wait(for: "the picture") { page.pictureCellCount > 20 }
        }
    }

    /// The words stay, and nothing else happens.
    @Test(arguments: [
        "/missing", "/page-instead", "/noise", "/empty", "/short", "/claims", "/long", "/elsewhere",
    ])
    func leavesTheWordsOfWhatIsNoPicture(path: String) async throws {
        let other = try LoopbackServer { _ in [.answer(body: "")] }
        let server = try LoopbackServer(
            page: "<p><img src=\(path) alt='Words'><p><img src=/good.jpg><p>After"
        ) { request in
            switch request.target {
            case "/good.jpg": [.picture(Photos.corners(width: 288, height: 180))]
            case "/page-instead":
                [.answer("200 OK", ["Content-Type: image/png"], body: "<html><p>No picture")]
            case "/noise":
                [
                    .answer(
                        body: [0xFF, 0xD8] + (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                ]
            case "/empty": [.picture(Data())]
            case "/short": [.picture(Photos.corners().prefix(40))]
            case "/claims":
                [.picture(Photos.claiming(width: 65_000, height: 65_000, in: Photos.corners()))]
            case "/long":
                [.answer(body: [UInt8](repeating: 0x20, count: WebImageLoader.byteLimit + 1))]
            case "/elsewhere": [.answer("302 Found", ["Location: ftp://\(other.port)/a.jpg"])]
            default: [.answer("404 Not Found")]
            }
        }
        try await withPage(server) { page in
            try await page.wait(for: "the good one") { page.pictureCellCount > 20 }
            try await page.wait(for: "the end of loading") {
                page.controller.webView.layout?.pictureMetrics?.failed == [0]
            }
            #expect(page.screen.text.contains("[Words]"))
            #expect(other.requests.isEmpty)
        }
    }

    @Test(arguments: [true, false]) func loadsNothingWherePicturesAreNotShown(
        isPlain: Bool
    ) async throws {
        let server = try LoopbackServer(page: "<p><img src=/a.jpg alt='Four quarters'><p>After") {
            _ in [.picture(Photos.corners())]
        }
        try await withPage(server, depth: isPlain ? .direct : .monochrome, isPlain: isPlain) {
            page in
            try await page.wait(forText: "After")
            #expect(page.screen.text.contains("[Four quarters]"))
            for _ in 0..<20 { page.settle() }
            #expect(targets(server).isEmpty)
        }
    }

    @Test func loadsOnlyWhatIsNear() async throws {
        let text = (0..<30).map { number in
            "<p><img src=/\(number).jpg alt=p\(number)>"
                + (0..<40).map { "<p>text \(number) \($0)" }.joined()
        }
        let server = try LoopbackServer(page: text.joined() + "<p>The end") { _ in
            [.picture(Photos.corners(width: 288, height: 180))]
        }
        try await withPage(server) { page in
            try await page.wait(for: "the first") { page.pictureCellCount > 20 }
            #expect(targets(server) == ["/0.jpg"])
            page.type("G")
            try await page.wait(forText: "The end")
            page.type("gg")
            for _ in 0..<10 { page.settle() }
            #expect(targets(server) == ["/0.jpg"])
        }
    }

    @Test func givesUpAPictureThatNeverEnds() async throws {
        let gate = LoopbackGate()
        defer { gate.open() }
        let server = try LoopbackServer(page: "<p><img src=/a.jpg alt='Words'><p>After") { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nxx"), .wait(gate)]
        }
        try await withPage(server) { page in
            try await page.wait(forText: "After")
            try await eventually("a request") { targets(server) == ["/a.jpg"] }
            page.scheduler.advance(by: .seconds(21))
            try await page.wait(for: "an end") {
                page.controller.webView.layout?.pictureMetrics?.failed == [0]
            }
            #expect(page.screen.text.contains("[Words]"))
        }
    }

    // MARK: - On its own

    @Test func opensAPictureAsAPage() async throws {
        let server = try LoopbackServer(page: "<p><a href=/a.jpg>A picture</a>") { _ in
            [.picture(Photos.corners(width: 288, height: 180), "application/octet-stream")]
        }
        try await withPage(server) { page in
            try await page.wait(forText: "A picture")
            page.type("1\n")
            try await page.wait(for: "a picture") { page.pictureCellCount > 20 }
            #expect(page.screen.text.contains("a.jpg"))
            #expect(page.screen.text.contains("288 × 180"))
            page.application.press("Left")
            try await page.wait(forText: "A picture")
            page.application.press("Right")
            try await page.wait(for: "it again") { page.pictureCellCount > 20 }
            #expect(targets(server) == ["/a.jpg"])
        }
    }

    @Test func saysWhyAPictureCannotBeShown() async throws {
        let server = try LoopbackServer { _ in [.picture(Photos.truncated(keeping: 0.01))] }
        try await withPage(server, "/a.jpg") { page in
            try await page.wait(forText: "It could not be shown because")
        }
    }

    // MARK: - In pixels

    @Test func showsPixelsWhereTheTerminalCanAndAPartOfThemAtItsEdges() async throws {
        let lines = (1...100).map { "<p>line \($0)" }.joined()
        let server = try LoopbackServer(page: "<p><img src=/a.jpg alt='Words'>\(lines)") { _ in
            [.picture(Photos.corners(width: 288, height: 180))]
        }
        let terminal = PictureTerminal(.kitty, cellPixels: CellPixels(width: 10, height: 20))
        try await withPage(server, on: terminal) { page in
            try await page.wait(for: "pixels") {
                page.screen.picturePart(column: 2, row: 1) == "0,0"
            }
            page.type("jj")
            #expect(page.screen.picturePart(column: 2, row: 1) == "2,0")
            #expect(page.screen.picturePart(column: 3, row: 2) == "3,1")
        }
    }

    @Test func sendsNoPixelsWhileThePageIsScrolled() async throws {
        let lines = (1...100).map { "<p>line \($0)" }.joined()
        let server = try LoopbackServer(
            page: "<p>One<p>Two<p>Three<p><img src=/a.jpg alt='Words'>\(lines)"
        ) { _ in [.picture(Photos.corners(width: 288, height: 180))] }
        let terminal = PictureTerminal(.sixel, cellPixels: CellPixels(width: 10, height: 20))
        try await withPage(server, on: terminal) { page in
            try await page.wait(for: "pixels") {
                page.screen.picturePart(column: 2, row: 7) == "hole"
            }
            page.type("j")
            #expect(page.screen.picturePart(column: 2, row: 7) == nil)
            #expect(page.pictureCellCount > 20)
            page.scheduler.advance(by: .milliseconds(200))
            page.settle()
            #expect(page.screen.picturePart(column: 2, row: 6) == "hole")
        }
    }

    // MARK: - What a page may ask for

    @Test(arguments: [
        ("https://x.org/p", "https://y.org/a.png", true),
        ("http://x.org/p", "http://x.org/a", true),
        ("https://x.org/p", "http://x.org/a.png", false),
        ("http://x.org/p", "ftp://x.org/a", false),
        ("http://x.org/p", "file:///etc/passwd", false),
        ("http://x.org/p", "http://127.0.0.1:631/a", false),
        ("http://x.org/p", "http://localhost/a", false),
        ("http://x.org/p", "http://[::1]/a", false),
        ("http://127.0.0.1/p", "http://127.0.0.1:8080/a", true),
    ])
    func knowsWhatAPageMayShow(page: String, picture: String, mayLoad: Bool) throws {
        let (page, picture) = (try #require(URL(string: page)), try #require(URL(string: picture)))
        #expect(WebImageLoader.mayLoad(picture, for: page) == mayLoad)
    }
}
