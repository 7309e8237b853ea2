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
            nerdfeed ADDRESS opens the courses of a web service, nerdfeed --demo a few of its own; \
            nerdfeed ls ADDRESS [--json] lists them. In a pipe they are listed, too.

            The service answers with JSON: {"courses": [{"title": "…", "url": "…", "upcoming": \
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
        let (url, site) = try feed.source()
        let status = try await NerdfeedApp.run(url, screen)
        site?.stop()
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
    @Option(help: ArgumentHelp("How the screen looks.", valueName: "name"))
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

    @Flag(help: "Serve a small list with pages on this computer, and open that.")
    var demo = false

    func validate() throws {
        guard !demo || url == nil else {
            throw ValidationError("--demo brings its own list. Leave the address out.")
        }
        if url != nil, address == nil {
            throw ValidationError(
                "This is not a valid address. One looks like https://host/courses.json.")
        }
        if let wrong = query.first(where: { !$0.contains("=") || $0.hasPrefix("=") }) {
            throw ValidationError("--query \(wrong): write it as name=value.")
        }
    }

    private var address: URL? { url.flatMap { WebAddress.typed($0, query: query) } }

    /// The list's URL; for the demonstration, with its site.
    @MainActor func source() throws -> (URL, LoopbackSite?) {
        if demo {
            do throws(LoopbackSiteError) {
                let site = try LoopbackSite(answer: DemoPages.answer)
                return (site.url.appending(path: "courses.json"), site)
            } catch {
                throw Failure(
                    sentence: localized("The demonstration cannot be served here: \(error.reason).")
                )
            }
        }
        guard let address else {
            throw Failure(
                sentence:
                    "Which courses? Run nerdfeed ADDRESS, or nerdfeed --demo for a first look.",
                status: 2)
        }
        return (address, nil)
    }

    @MainActor func list(asJSON: Bool) async throws {
        let (url, site) = try source()
        let fetch = WebFetch(URLRequest(url: url), in: NerdfeedApp.makeSession())
        let feed = try await CourseFeed.load(fetch, retry: .command)
        site?.stop()
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
