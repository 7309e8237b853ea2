import ArgumentParser
import CurlNetworking
import FoundationEssentials
import Glibc
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
        version: "nerdfeed 0.1.0", subcommands: [Open.self, List.self], defaultSubcommand: Open.self
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
            let (url, server) = try feed.source()
            let status = try await NerdfeedApp.run(url)
            server?.stop()
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

    /// The address with its query, all percent-escaped.
    private var address: URL? {
        guard let url, var address = WebPage.escaped(url) else { return nil }
        if !address.contains("://") { address = "https://" + address }
        guard var parts = URLComponents(string: address),
            ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false
        else { return nil }
        let items = query.map { item in
            let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return URLQueryItem(name: String(halves[0]), value: String(halves.last ?? ""))
        }
        if !items.isEmpty { parts.queryItems = (parts.queryItems ?? []) + items }
        return parts.url
    }

    /// Where the list is; for the demonstration, with the server that has it.
    @MainActor func source() throws -> (URL, DemoServer?) {
        if demo {
            let server = try DemoServer()
            return (server.url, server)
        }
        guard url != nil else {
            throw Failure(
                sentence:
                    "Which courses? Run nerdfeed ADDRESS, or nerdfeed --demo for a first look.",
                status: 64)
        }
        guard let address else { throw Failure(sentence: "This is not a valid address.") }
        return (address, nil)
    }

    @MainActor func list(asJSON: Bool) async throws {
        let (url, server) = try source()
        let fetch = WebFetch(URLRequest(url: url), in: NerdfeedApp.makeSession())
        let feed = try await CourseFeed.load(fetch, from: url, retry: "run the command again")
        server?.stop()
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
