public import FoundationEssentials
internal import Messages
public import WebText

/// A page as it is shown: what it says, and its lines for one width.
public struct WebPage: Sendable {
    /// Where it came from, after redirects; with the `#fragment` that was asked for.
    public var url: URL
    public var document: WebDocument
    public var layout: WebLayout

    public init(url: URL, document: WebDocument, width: Int) {
        self.url = url
        self.document = document
        layout = WebLayout(document, width: width)
    }

    /// What to call it: its title, else its address without what is always there.
    public var title: String {
        if !document.title.isEmpty { return document.title }
        return (url.host() ?? "") + url.path
    }

    /// What a link leads to; nil when the address is invalid.
    public func target(ofLink index: Int) -> URL? {
        guard document.links.indices.contains(index) else { return nil }
        let address = document.links[index].address
        let base = document.base.flatMap { URL(string: $0, relativeTo: url) } ?? url
        return URL(string: WebAddress.escaped(address), relativeTo: base)?.absoluteURL
    }

    // MARK: - Making one

    /// Reads what has come. Takes its time: it runs outside the caller's actor.
    @concurrent
    public static func reading(_ resource: WebResource, width: Int) async -> WebPage {
        WebPage(url: resource.url, document: document(of: resource), width: width)
    }

    /// The same page for another width, made outside the caller's actor.
    @concurrent
    public func laidOut(for width: Int) async -> WebPage {
        var page = self
        page.layout = WebLayout(document, width: width)
        return page
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

    /// A page of the program's own words.
    public static func notice(_ title: String, _ sentences: String...) -> WebDocument {
        var document = WebDocument()
        document.title = title
        document.blocks =
            [.heading(level: 2, [WebRun(title)])] + sentences.map { .paragraph([WebRun($0)]) }
        return document
    }
}
