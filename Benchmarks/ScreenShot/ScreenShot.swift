import Foundation
import TestSupport

/// Takes a picture of Byte Club (or any program) on a terminal of a given size.
///
///     byteclub-screenshot --size 120x34 --keys '2<Idle>' --output photos.png
///     byteclub-screenshot --text -- /usr/bin/nano file
@main struct ScreenShot {
    static func main() async {
        do {
            let options = try Options(CommandLine.arguments.dropFirst())
            try await take(options)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func take(_ options: Options) async throws {
        let home = try ClubHome(hasClub: options.clubFiles != nil)
        defer { home.remove() }
        if let settings = options.settings { try home.write(settings: settings) }
        for file in options.files {
            let source = URL(filePath: file)
            try FileManager.default.copyItem(
                at: source, to: home.work.appending(path: source.lastPathComponent))
        }
        for file in options.clubFiles ?? [] {
            let source = URL(filePath: file)
            let isPhoto = ["jpg", "jpeg"].contains(source.pathExtension.lowercased())
            try FileManager.default.copyItem(
                at: source,
                to: (isPhoto ? home.photos : home.club).appending(path: source.lastPathComponent))
        }
        var program = TerminalProgram(
            options.program.first ?? ClubHome.program, Array(options.program.dropFirst()),
            environment: home.environment(more: options.environment),
            directory: options.directory ?? home.work.path, size: options.size)
        if let folder = options.home { program.environment["HOME"] = folder }
        let terminal = try TerminalDriver(running: program)
        defer { terminal.close() }
        guard let cast = options.cast else {
            try await terminal.run(options.script)
            return try write(terminal.screen, options)
        }
        let recording = Task { await record(terminal) }
        defer { recording.cancel() }
        try await terminal.run(options.script)
        recording.cancel()
        let screens = await recording.value
        for (name, theme) in [("dark", TerminalTheme.dark), ("light", .light)] {
            let file = URL(filePath: "\(cast)-\(name).svg")
            try Data(screens.svg(theme: theme, title: options.title).utf8).write(to: file)
        }
    }

    /// What is shown until it is cancelled, thirty times a second, and two seconds of the last screen.
    private static func record(_ terminal: TerminalDriver) async -> TerminalCast {
        var cast = TerminalCast()
        let clock = ContinuousClock()
        let start = clock.now
        func seconds() -> Double { (clock.now - start) / .seconds(1) }
        while !Task.isCancelled {
            cast.add(terminal.screen, at: seconds())
            try? await Task.sleep(for: .milliseconds(33))
        }
        cast.add(terminal.screen, at: seconds())
        cast.duration += 2
        return cast
    }

    private static func write(_ screen: TerminalScreen, _ options: Options) throws {
        if options.printsText { print(screen.transcript) }
        guard let output = options.output else { return }
        let svg = screen.svg(theme: options.theme, title: options.title)
        let file = URL(filePath: output)
        guard file.pathExtension == "png" else { return try Data(svg.utf8).write(to: file) }
        let drawing = file.deletingPathExtension().appendingPathExtension("svg")
        try Data(svg.utf8).write(to: drawing)
        defer { try? FileManager.default.removeItem(at: drawing) }
        let converter = Process()
        converter.executableURL = URL(filePath: "/usr/bin/rsvg-convert")
        converter.arguments = ["--zoom", "2", "--output", file.path, drawing.path]
        try converter.run()
        converter.waitUntilExit()
        guard converter.terminationStatus == 0 else { throw Usage(problem: "rsvg-convert failed") }
    }
}

struct Usage: Error, CustomStringConvertible {
    let problem: String

    var description: String {
        """
        \(problem)
        usage: byteclub-screenshot [OPTION]... [-- PROGRAM [ARGUMENT]...]
          --size 120x34        columns and rows (80x24)
          --keys SCRIPT        what to type: text, <Enter>, <F2>, <C-s>, <Wait:text>, <Idle>, <Pause:2>
          --env NAME=VALUE     more environment; may be given often
          --home FOLDER        its home folder (a fresh one)
          --directory FOLDER   where it is started (a fresh one)
          --club FILE          a note or photo for an otherwise empty club; may be given often
          --file FILE          a file where it is started; may be given often
          --settings TEXT      its config.yml
          --theme dark|light   the terminal's colours (dark)
          --title TEXT         a window around the screen
          --text               print the screen and the map of its styles
          --output FILE        .svg, or .png by rsvg-convert
          --cast NAME          record all that the keys do: NAME-dark.svg and NAME-light.svg, which move
        """
    }
}

struct Options {
    var size = TerminalSize.classic
    var script: TerminalScript
    var environment: [String: String] = [:]
    var home: String?
    var directory: String?
    var clubFiles: [String]?
    var theme = TerminalTheme.dark
    var title: String?
    var printsText = false
    var output: String?
    var cast: String?
    var files: [String] = []
    var settings: String?
    var program: [String] = []

    init(_ words: some Sequence<String>) throws {
        script = try TerminalScript("<Idle>")
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                program = Array(rest)
                break
            }
            if word == "--text" {
                printsText = true
                continue
            }
            guard let value = rest.popFirst() else { throw Usage(problem: "\(word) needs a value") }
            switch word {
            case "--size":
                let numbers = value.split(separator: "x").compactMap { Int($0) }
                guard numbers.count == 2, numbers.allSatisfy({ 1...500 ~= $0 }) else {
                    throw Usage(problem: "\(value) is no size")
                }
                size = TerminalSize(columns: numbers[0], rows: numbers[1])
            case "--keys": script = try TerminalScript(value)
            case "--env":
                let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
                environment[parts.first ?? ""] = parts.count > 1 ? parts[1] : ""
            case "--home": home = value
            case "--directory": directory = value
            case "--club": clubFiles = (clubFiles ?? []) + [value]
            case "--theme": theme = value == "light" ? .light : .dark
            case "--title": title = value
            case "--output": output = value
            case "--cast": cast = value
            case "--file": files.append(value)
            case "--settings": settings = value
            default: throw Usage(problem: "\(word) is not known")
            }
        }
        if output == nil, cast == nil, !printsText { printsText = true }
    }
}
