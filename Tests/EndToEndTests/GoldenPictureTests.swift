import Foundation
import TestSupport
import Testing

/// Pictures on whole screens, cell for cell, in each depth of colors.
///
/// After a change that is wanted: `BYTECLUB_APPROVE=1 swift test --filter GoldenPictureTests`, then read the diff.
@Suite struct GoldenPictureTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Screens/Pictures")

    private static let name = "card.jpg"

    static let looks = [
        Look(
            "24-bit", .classic, "xterm-256color", .many,
            ["COLORTERM": "truecolor"]),
        Look("256", .classic, "xterm-256color", .many),
        Look("16", .classic, SixteenColors.name, .eight),
        Look("8", .classic, "xterm", .eight),
        Look("mono", .classic, "xterm-256color", .mono, ["NO_COLOR": "1"]),
        Look("vt100", .classic, "vt100", .mono),
    ]

    @Test(arguments: looks) func theViewer(look: Look) async throws {
        try await withCard(look) { terminal in
            terminal.press(.enter)
            try await terminal.wait(for: "the picture") { $0.contains("the file itself") }
            try await compare(terminal, "viewer, \(look.name)", in: look)
        }
    }

    @Test(arguments: looks) func theViewerFromNearer(look: Look) async throws {
        try await withCard(look) { terminal in
            terminal.press(.enter)
            try await terminal.wait(for: "the picture") { $0.contains("the file itself") }
            terminal.type("+++")
            try await terminal.wait(untilGone: "· fit")
            try await compare(terminal, "viewer from nearer, \(look.name)", in: look)
        }
    }

    @Test(arguments: looks) func theListWithItsPreview(look: Look) async throws {
        try await withCard(look) { terminal in
            try await compare(terminal, "list, \(look.name)", in: look)
        }
    }

    /// The photos tab with one photo, as old at any time.
    private func withCard(
        _ look: Look, _ body: (TerminalDriver) async throws -> Void
    ) async throws {
        try await inFreshHome { home in
            try home.write(settings: "theme:\n  pictures: blocks\n")
            let photo = home.photos.appending(path: Self.name)
            try Photos.testCard().write(to: photo)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: photo.path)
            let folder = try await SixteenColors.install(in: home.work)
            let terminal = try await home.open(look.with(["TERMINFO_DIRS": "\(folder.path):"]))
            defer { terminal.close() }
            terminal.type("2")
            try await terminal.wait(forText: Self.name)
            try await terminal.waitUntilIdle()
            try await body(terminal)
        }
    }

    private func compare(_ terminal: TerminalDriver, _ name: String, in look: Look) async throws {
        let screen = try await terminal.waitUntilIdle().masking(/now(?= ?[│▐])/)
        let problem = look.colorProblem(in: screen)
        #expect(problem == nil, "\(problem ?? "")")
        let difference = try GoldenScreen(named: name, in: Self.folder).difference(from: screen)
        #expect(difference == nil, "\(difference ?? "")")
    }
}

/// A terminal of sixteen colors, which no terminal is that Debian describes without further packages.
private enum SixteenColors {
    static let name = "byteclub-16color"

    private static let source = """
        \(name)|xterm with sixteen colors,
        \tcolors#16, pairs#0x100, use=xterm-256color,

        """

    /// - Returns: The folder with its description.
    static func install(in folder: URL) async throws -> URL {
        let file = folder.appending(path: "\(name).ti")
        let compiled = folder.appending(path: "terminfo")
        try Data(source.utf8).write(to: file)
        let output = try await Command(
            "/usr/bin/tic", ["-x", "-o", compiled.path, file.path], environment: [:],
            directory: folder.path
        ).run()
        try #require(output.status == 0, "\(output.errorText)")
        return compiled
    }
}
