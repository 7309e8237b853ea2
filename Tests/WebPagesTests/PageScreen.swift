import CurlNetworking
import Foundation
import TerminalUI
import TestSupport

@testable import WebPages

/// A page on a screen in memory.
@MainActor
struct PageScreen {
    let screen: TestScreen
    let scheduler = ManualScheduler()
    let application: Application
    let controller: WebViewController
    private let session: CurlNetworking.URLSession

    init(
        _ terminal: PictureTerminal = PictureTerminal(), depth: ColorDepth = .direct,
        isPlain: Bool = false, size: Size = Size(width: 60, height: 20)
    ) throws {
        screen = TestScreen(size: size, colorDepth: depth)
        screen.setPictures(terminal)
        var configuration = Application.Configuration()
        configuration.isPlain = isPlain
        application = Application(
            screen: screen, configuration: configuration, scheduler: scheduler)
        session = CurlNetworking.URLSession(
            configuration: .ephemeral, delegate: nil, delegateQueue: .main)
        controller = WebViewController(session: session)
        try application.start(root: controller)
        controller.webView.becomeFirstResponder()
    }

    func close() {
        application.terminate()
        session.invalidateAndCancel()
    }

    /// Waits for what the network and the picture worker bring.
    func wait(for goal: String, _ isSo: () -> Bool) async throws {
        try await eventually("\(goal) on\n\(screen.text)") {
            settle()
            return isSo()
        }
    }

    func wait(forText text: String) async throws {
        try await wait(for: text) { screen.text.contains(text) }
    }

    func settle() { scheduler.advance(by: .milliseconds(20)) }

    func type(_ text: String) {
        application.type(text)
        settle()
    }

    /// Cells in a color that only a picture has.
    var pictureCellCount: Int {
        var count = 0
        for row in 0..<screen.size.height {
            for column in 0..<screen.size.width {
                let style = screen.style(column: column, row: row)
                if [style.foreground, style.background].contains(where: Self.isRed) { count += 1 }
            }
        }
        return count
    }

    private static func isRed(_ color: TerminalUI.Color) -> Bool {
        if case .rgb(let red, let green, let blue) = color.kind {
            return red > 220 && green < 60 && blue < 60
        }
        return false
    }

    /// The first row of the page.
    var firstLine: String { screen.lines[1] }
}

extension LoopbackServer {
    /// A page at `/page`; every other address is answered by a function.
    convenience init(
        page: String, pictures: @escaping @Sendable (LoopbackRequest) -> [LoopbackStep]
    ) throws {
        try self.init { request in
            request.target == "/page"
                ? [.answer("200 OK", ["Content-Type: text/html; charset=utf-8"], body: page)]
                : pictures(request)
        }
    }
}

extension LoopbackStep {
    static func picture(_ data: Data, _ type: String = "image/jpeg") -> LoopbackStep {
        .answer("200 OK", ["Content-Type: \(type)"], body: [UInt8](data))
    }
}
