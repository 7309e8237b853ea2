public import FoundationEssentials
internal import ByteClubMessages
import ByteClubPictures
public import WebText

/// What the layout of a page depends on.
public struct WebPageFormat: Hashable, Sendable {
    /// In cells.
    public var width: Int
    /// The layout of pictures; nil for replacement words.
    public var pictures: WebPictureMetrics?
    /// Whether to lay out only the first screens: a long page takes some tens of milliseconds.
    public var isBeginning: Bool

    /// More blocks than any screen shows.
    private static let firstBlockCount = 300

    public init(width: Int, pictures: WebPictureMetrics? = nil, isBeginning: Bool = false) {
        self.width = width
        self.pictures = pictures
        self.isBeginning = isBeginning
    }

    func layout(_ document: WebDocument) -> WebLayout {
        WebLayout(
            document, width: width, pictures: pictures,
            blockLimit: isBeginning ? Self.firstBlockCount : nil)
    }
}

/// A page: its contents, and its lines for one width.
public struct WebPage: Sendable {
    /// Its URL after redirects, with the requested `#fragment`.
    public var url: URL
    public var document: WebDocument
    public var layout: WebLayout
    /// The page's first picture if it was loaded with the page.
    var image: WebImage?

    public init(url: URL, document: WebDocument, format: WebPageFormat) {
        self.url = url
        self.document = document
        layout = format.layout(document)
    }

    /// Its title, else a short form of its address.
    public var title: String {
        if !document.title.isEmpty { return document.title }
        return (url.host() ?? "") + url.path
    }

    /// The target of a link; nil if the address is invalid.
    public func target(ofLink index: Int) -> URL? {
        guard document.links.indices.contains(index) else { return nil }
        return target(of: document.links[index].address)
    }

    /// The URL of an address in the page; nil if it is invalid.
    func target(of address: String) -> URL? {
        let base = document.base.flatMap { Self.url($0, relativeTo: url) } ?? url
        return Self.url(address, relativeTo: base)?.absoluteURL
    }

    private static func url(_ address: String, relativeTo base: URL) -> URL? {
        WebAddress.valid(address).flatMap { URL(string: $0, relativeTo: base) }
    }

    // MARK: - Making one

    /// Parses a resource. Runs outside the caller's actor because it may take long.
    @concurrent
    public static func reading(_ resource: WebResource, format: WebPageFormat) async -> WebPage {
        if resource.kind == .other, let page = await picture(resource, format: format) {
            return page
        }
        var document = document(of: resource)
        // A page that was cut tells why.
        if document.cut == nil, document.blocks.count < 100,
            format.layout(document).lines.allSatisfy(\.spans.isEmpty)
        {
            let sentence =
                resource.body.isEmpty
                ? localized("This page is empty.")
                : localized("This page has no text. It may need scripts, and none are run here.")
            document.blocks.append(.paragraph([WebRun(sentence, .alternative)]))
        }
        return WebPage(url: resource.url, document: document, format: format)
    }

    /// The layout for another format. Runs outside the caller's actor.
    @concurrent
    func layout(for format: WebPageFormat) async -> WebLayout {
        format.layout(document)
    }

    /// A page for a single picture; nil for anything else.
    private static func picture(
        _ resource: WebResource, format: WebPageFormat
    ) async -> WebPage? {
        let file = PictureFile(data: Data(resource.body))
        guard resource.isCalledPicture || (try? file.facts()) != nil else { return nil }
        let name = resource.url.lastPathComponent
        do throws(WebImageError) {
            let image = try await WebImageLoader.decode(resource)
            var document = WebDocument()
            document.title = name
            document.pictures = [
                WebPicture(
                    resource.url.absoluteString, words: "[\(name.isEmpty ? "picture" : name)]")
            ]
            let facts = "\(image.fullSize) · \(WebFailure.size(Int64(resource.body.count)))"
            document.blocks = [
                .paragraph([WebRun(document.pictures[0].words, .alternative, picture: 0)]),
                .paragraph([WebRun(facts, .alternative)]),
            ]
            var format = format
            format.pictures?.sizes[0] = .init(
                width: image.fullSize.width, height: image.fullSize.height)
            var page = WebPage(url: resource.url, document: document, format: format)
            page.image = image
            return page
        } catch {
            return WebPage(
                url: resource.url, document: notice(name, error.sentence), format: format)
        }
    }

    private static func document(of resource: WebResource) -> WebDocument {
        switch resource.kind {
        case .html:
            return HTMLParser.parse(
                resource.body, charset: resource.charset, isCut: resource.isCut)
        case .text:
            var document = WebDocument()
            let bytes = Charset.utf8(resource.body, label: resource.charset, isHTML: false)
            var text = String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self)
            if text.hasSuffix("\n") { text.removeLast() }
            document.blocks = text.isEmpty ? [] : [.preformatted([WebRun(text)])]
            document.cut = resource.isCut ? .size : nil
            return document
        case .other:
            return notice(
                localized("Not a page"),
                localized(
                    "This is of the kind \(resource.mimeType), which cannot be shown as text."))
        }
    }

    /// A page with a message of the program.
    public static func notice(_ title: String, _ sentences: String...) -> WebDocument {
        var document = WebDocument()
        document.title = title
        document.blocks =
            [.heading(level: 2, [WebRun(title)])] + sentences.map { .paragraph([WebRun($0)]) }
        return document
    }
}
