import FoundationEssentials
import ByteClubMessages
import WebPages
import WebText

/// A course of the list.
struct Course: Hashable, Sendable, Encodable {
    var title: String
    /// Absolute; nil if the list contains none.
    var url: String?
    /// The date of the next one, e.g. `2014-11-24`; nil if the list contains none.
    var next: String?
}

/// A service's list of courses, as far as it is readable.
struct CourseFeed: Sendable {
    private static let limit = 20_000

    var courses: [Course] = []
    /// Entries without a title and an address.
    var skippedCount = 0
    /// Whether there are more than shown.
    var isCut = false

    /// Messages about entries that are not shown.
    var complaints: [String] {
        let cut = isCut ? localized("Only the first 20,000 courses are shown.") : nil
        return [cut, skipped].compactMap { $0 }
    }

    private var skipped: String? {
        switch skippedCount {
        case 0: nil
        case 1:
            localized("One entry of the list has neither a title nor an address, and is not shown.")
        default:
            localized(
                "\(skippedCount) entries have neither a title nor an address, and are not shown.")
        }
    }

    /// - Throws: ``Failure`` with a sentence.
    @MainActor
    static func load(_ fetch: WebFetch, retry: WebRetry) async throws(Failure) -> CourseFeed {
        let resource: WebResource
        do throws(WebFetchError) {
            resource = try await fetch.success(retry: retry)
        } catch {
            throw Failure(sentence: sentence(for: error, retry: retry))
        }
        guard !resource.isCut else {
            throw Failure(
                sentence: localized(
                    "The list is longer than 4 MiB. Ask for less of it with --query."))
        }
        return try await read(resource, today: Date())
    }

    /// The shell has no sheet for a name and a password.
    private static func sentence(for error: WebFetchError, retry: WebRetry) -> String {
        guard retry == .command, error.statusCode == 401 else { return error.sentence }
        let hint = localized("Open it on the screen, which asks for them: nerdfeed ADDRESS")
        return localized("\(error.sentence) \(hint)", context: "sentences")
    }

    /// - Parameter today: Earlier dates do not count.
    @concurrent
    static func read(_ resource: WebResource, today: Date) async throws(Failure) -> CourseFeed {
        let body = Charset.utf8(resource.body, label: resource.charset, isHTML: false)
        guard let list = try? JSONDecoder().decode(FeedList.self, from: Data(body)) else {
            throw Failure(sentence: problem(with: resource))
        }
        let day = String(today.ISO8601Format().prefix(10))
        var feed = CourseFeed()
        for entry in list.courses {
            guard feed.courses.count < limit else {
                feed.isCut = true
                break
            }
            guard let course = entry.course(on: day, at: resource.url) else {
                feed.skippedCount += 1
                continue
            }
            feed.courses.append(course)
        }
        return feed
    }

    /// Why a response is not a list.
    private static func problem(with resource: WebResource) -> String {
        if resource.body.isEmpty {
            return localized("The answer from this address is empty. Check the address.")
        }
        return resource.kind == .html
            ? localized(
                "There is a web page at this address, not a list of courses. Check the address; on a "
                    + "network with a sign-in page, sign in there first.")
            : localized(
                "What is at this address is not a list of courses in JSON. Check the address.")
    }
}

/// The list's wire format. Values of unexpected types count as missing.
private struct FeedList: Decodable {
    var courses: [FeedEntry]

    private enum Key: CodingKey { case courses }

    init(from decoder: any Decoder) throws {
        if let fields = try? decoder.container(keyedBy: Key.self) {
            courses = try fields.decode([FeedEntry].self, forKey: .courses)
        } else {
            courses = try decoder.singleValueContainer().decode([FeedEntry].self)
        }
    }
}

private struct FeedEntry: Decodable {
    var title: String?
    var url: String?
    var dates: [String] = []

    private enum Key: String, CodingKey {
        case title, url, upcoming
        case startDate = "start_date"
    }

    init(from decoder: any Decoder) throws {
        guard let fields = try? decoder.container(keyedBy: Key.self) else { return }
        title = try? fields.decode(String.self, forKey: .title)
        url = try? fields.decode(String.self, forKey: .url)
        dates = ((try? fields.decode([Upcoming].self, forKey: .upcoming)) ?? []).compactMap(\.date)
    }

    private struct Upcoming: Decodable {
        var date: String?

        init(from decoder: any Decoder) throws {
            guard let fields = try? decoder.container(keyedBy: Key.self) else { return }
            date = try? fields.decode(String.self, forKey: .startDate)
        }
    }

    /// - Parameter day: Today, as `2014-11-24`.
    func course(on day: String, at feed: URL) -> Course? {
        let words = title?.split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
        let address = WebAddress.valid(url ?? "") ?? ""
        guard !words.isEmpty || !address.isEmpty else { return nil }
        let target = address.isEmpty ? nil : URL(string: address, relativeTo: feed)?.absoluteString
        // ISO 8601 dates are ordered as text.
        let style = Date.ISO8601FormatStyle().year().month().day()
        let days = dates.map { String($0.prefix(10)) }
            .filter { (try? style.parse($0)).map(style.format) == $0 }.sorted()
        return Course(
            title: String((words.isEmpty ? address : words).prefix(500)), url: target,
            next: days.first { $0 >= day } ?? days.last)
    }
}
