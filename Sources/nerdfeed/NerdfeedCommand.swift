public import ArgumentParser
import CurlNetworking
import FoundationEssentials
import Glibc
import ByteClubMessages
public import TerminalUI
import WebPages

struct NerdfeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nerdfeed",
        abstract: "Courses from a web service, and their pages, in the terminal.",
        discussion: """
            nerdfeed ADDRESS opens the courses of a web service, nerdfeed --demo a few built-in ones. nerdfeed \
            ls ADDRESS [--json] lists them, and so does nerdfeed in a pipe.

            The service responds with JSON: {"courses": [{"title": "…", "url": "…", "upcoming": \
            [{"start_date": "2014-11-24"}]}]}. Press ? on the screen to see every key.
            """,
        version: Version.line, subcommands: [List.self, Keys.self])

    @OptionGroup var feed: FeedOptions
    @OptionGroup var screen: ScreenOptions

    /// The subcommands only: the parser takes their names for an address where one is allowed.
    private struct Subcommands: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "nerdfeed", subcommands: [List.self, Keys.self])
    }

    static func parse(all arguments: [String]) throws -> any ParsableCommand {
        if arguments == ["help"] { return try parseAsRoot(["--help"]) }
        return ["ls", "keys", "help"].contains(arguments.first ?? "")
            ? try Subcommands.parseAsRoot(arguments) : try parseAsRoot(arguments)
    }

    @MainActor func run() async throws {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
            return try await feed.list(asJSON: false)
        }
        let source = try feed.source()
        let status = try await NerdfeedApp.run(source, screen)
        source.site?.stop()
        Glibc.exit(status)
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "ls",
            abstract: "List the courses: title, address and next date, with tabs between them.")

        @OptionGroup var feed: FeedOptions

        @Flag(help: "Write JSON: an array of objects with title, url and next.")
        var json = false

        @MainActor func run() async throws { try await feed.list(asJSON: json) }
    }

    /// For the manual page.
    struct Keys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "keys", shouldDisplay: false)

        @Flag(help: .private)
        var json = false

        @MainActor func run() async throws {
            let marking: Set<KeyCommand> = [.markRow, .markAllRows, .clearMarks]
            let list = KeyCommand.listCommands.filter { !marking.contains($0) }
            let rows =
                KeyListing.rows(localized("Everywhere"), KeyCommand.applicationCommands)
                + KeyListing.rows(localized("Lists"), list)
                + KeyListing.rows(localized("Courses"), [.reloadCourses, .toPage])
                + KeyListing.rows(localized("Page"), KeyCommand.pageCommands)
            try VisibleOutput.json(encoding: rows)
        }
    }
}

extension Theme.Scheme: ExpressibleByArgument {}

/// The screen options.
struct ScreenOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The theme of the screen.", valueName: "name"))
    var theme: Theme.Scheme?

    @Flag(
        help: "Screen reader mode: no lines, no colors, no pictures, the cursor where the keys go.")
    var plain = false
}

/// The option that chooses the service.
struct FeedOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("The address of the course list.", valueName: "address"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "A query argument of the address, e.g. year=2014; may be repeated.",
            valueName: "name=value"))
    var query: [String] = []

    @Flag(help: "Serve a small demo list on this computer, and open it.")
    var demo = false

    func validate() throws {
        guard !demo || url == nil else {
            throw ValidationError("--demo has its own list. Omit the address.")
        }
        if url != nil, address == nil {
            throw ValidationError(
                "This is not a valid address. One looks like https://host/courses.json, and a port is a "
                    + "number from 1 to 65535.")
        }
        if let wrong = query.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
            throw ValidationError("--query \(wrong): write it as name=value.")
        }
    }

    private var address: URL? { url.flatMap { WebAddress.typed($0, query: query) } }

    @MainActor func source() throws -> FeedSource {
        if demo {
            do throws(LoopbackSiteError) {
                let site = try LoopbackSite(answer: DemoPages.answer)
                return FeedSource(url: site.url.appending(path: "courses.json"), site: site)
            } catch {
                throw Failure(
                    sentence: localized("The demonstration cannot be served here: \(error.reason).")
                )
            }
        }
        guard let url, let address else {
            throw Failure(
                sentence:
                    "Which courses? Run nerdfeed ADDRESS, or nerdfeed --demo for a first look.",
                status: 2)
        }
        return FeedSource(url: address, isSchemeAssumed: WebAddress.lacksScheme(url))
    }

    @MainActor func list(asJSON: Bool) async throws {
        let source = try source()
        let fetch = source.makeFetch(in: NerdfeedApp.makeSession())
        let feed = try await CourseFeed.load(fetch, retry: .command)
        source.site?.stop()
        if asJSON {
            try VisibleOutput.json(encoding: feed.courses)
        } else {
            for course in feed.courses {
                VisibleOutput.line(course.title, course.url ?? "", course.next ?? "")
            }
        }
        feed.complaints.forEach(Program.complain)
    }
}
