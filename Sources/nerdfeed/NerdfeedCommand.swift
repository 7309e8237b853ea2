import ArgumentParser
import CurlNetworking
import FoundationEssentials
import Glibc
import Messages
import WebPages

struct NerdfeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nerdfeed",
        abstract: "Courses from a web service, and their pages, in the terminal.",
        discussion: """
            nerdfeed ADDRESS opens the courses of a web service, nerdfeed --demo a few of its own; \
            nerdfeed ls ADDRESS [--json] lists them. --query year=2014 adds an argument to the address. \
            In a pipe they are listed, too.

            The service answers with JSON: {"courses": [{"title": "…", "url": "…", "upcoming": \
            [{"start_date": "2014-11-24"}]}]}. Press ? on the screen to see every key.
            """,
        version: Version.line, subcommands: [Open.self, List.self], defaultSubcommand: Open.self
    )

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "open",
            abstract: "Open the courses on the screen; in a pipe, list them. What nerdfeed does.")

        @OptionGroup var feed: FeedOptions

        @MainActor func run() async throws {
            guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
                return try await feed.list(asJSON: false)
            }
            let (url, site) = try feed.source()
            let status = try await NerdfeedApp.run(url)
            site?.stop()
            Glibc.exit(status)
        }
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
}

/// Which service.
struct FeedOptions: ParsableArguments {
    @Argument(help: "The address of the course list.")
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

    /// Where the list is; for the demonstration, with the site that has it.
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
        guard url != nil else {
            throw Failure(
                sentence:
                    "Which courses? Run nerdfeed ADDRESS, or nerdfeed --demo for a first look.",
                status: 64)
        }
        guard let address else {
            throw Failure(sentence: localized("This is not a valid address."))
        }
        return (address, nil)
    }

    @MainActor func list(asJSON: Bool) async throws {
        let (url, site) = try source()
        let fetch = WebFetch(URLRequest(url: url), in: NerdfeedApp.makeSession())
        let feed = try await CourseFeed.load(
            fetch, from: url, retry: localized("run the command again"))
        site?.stop()
        if asJSON {
            try Output.json(feed.courses)
        } else {
            for course in feed.courses {
                Output.columns([course.title, course.url ?? "", course.next ?? ""])
            }
        }
        if let complaint = feed.complaint { Output.complain(complaint) }
    }
}
