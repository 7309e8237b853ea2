import Foundation
import TerminalUI
import TestSupport
import Testing
import WebText

@testable import WebPages

/// Pages that take a while: their beginning comes first.
@MainActor @Suite struct LongPageTests {
    @Test func showsTheFirstScreensBeforeTheEndIsLaidOut() async throws {
        let text = (1...3000).map { "<p id=p\($0)>line \($0)" }.joined()
        let format = WebPageFormat(width: 60, isBeginning: true)
        let resource = WebResource(
            url: try #require(URL(string: "http://a.org/")), statusCode: 200,
            mimeType: "text/html", charset: "utf-8", body: Array(text.utf8), isCut: false)
        let page = await WebPage.reading(resource, format: format)
        #expect(page.layout.isPartial)
        #expect(page.layout.lines.count < 700)
        #expect(page.layout.lines.first?.text == "line 1")
    }

    @Test func hasAllOfItSoonAndGoesToItsEnd() async throws {
        let text = (1...3000).map { "<p id=p\($0)>line \($0)" }.joined()
        let server = try LoopbackServer(page: text) { _ in [] }
        let page = try PageScreen()
        defer { page.close() }
        page.controller.open(server.url("/page"))
        try await page.wait(for: "all of it") {
            page.controller.webView.layout?.isPartial == false
        }
        #expect(page.firstLine.contains("line 1 "))
        page.type("G")
        try await page.wait(forText: "line 3000")
        // A place of a page is gone to at once, however far it is.
        page.controller.open(server.url("/page#p2000"))
        try await page.wait(for: "the place") { page.firstLine.contains("line 2000") }
    }
}
