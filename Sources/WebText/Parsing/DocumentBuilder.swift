/// Builds a document from elements and text in order.
final class DocumentBuilder {
    /// The effect of an open element.
    private enum Effect {
        case none, skip, title, block, container, preformatted, quote, choice
        case look(WebTextLook, isBlock: Bool)
        case heading(before: Int?)
        case link(before: Int?)
    }

    private struct OpenElement {
        let name: String
        let effect: Effect
    }

    /// The maximum nesting of indented containers.
    private static let containerLimit = 24

    private let limits: HTMLLimits
    private var document = WebDocument()
    private var open: [OpenElement] = []
    private var containers = [BlockContainer(.page)]
    private var inline = InlineText()
    private var look: WebTextLook = []
    private var link: Int?
    /// The last link whose number has been shown.
    private var lastNumbered = -1
    private var headingLevel: Int?
    private var skipCount = 0
    private var choice: HTMLChoice?
    private var preformattedCount = 0
    private var titleCount = 0
    private var elementCount = 0

    init(limits: HTMLLimits) { self.limits = limits }

    /// How many elements are open.
    var openCount: Int { open.count }

    /// Whether a limit was reached.
    var isFull: Bool { document.cut != nil }

    /// Closes open elements and returns the page.
    func finish() -> WebDocument {
        flush()
        while containers.count > 1 { closeContainer() }
        document.blocks = containers[0].blocks
        document.title = Self.words(document.title)
        return document
    }

    // MARK: - Events

    func start(_ name: String, _ attributes: [String: String]) {
        guard !isFull else { return }
        elementCount += 1
        if elementCount > limits.elementCount { document.cut = .elementCount }
        if Self.definitions.contains(name) { endDefinition() }
        if choice != nil { startInChoice(name, attributes) }
        let effect = effect(of: HTMLElement.named[name], attributes)
        // The line before a block element has ended.
        if let name = attributes["id"], skipCount == 0 { addAnchor(name) }
        open.append(OpenElement(name: name, effect: effect))
    }

    private func startInChoice(_ name: String, _ attributes: [String: String]) {
        if name == "option" { choice?.beginOption(attributes) }
        // Ends a choice that lacks its end tag (HTML standard, 13.2.6.4.16 and 17).
        if Self.endsChoice.contains(name) { end("select") }
    }

    private static let endsChoice: Set = [
        "select", "input", "textarea", "caption", "table", "tbody", "tfoot", "thead", "tr", "td",
        "th",
    ]

    func end(_ name: String) {
        if name == "option" { choice?.endOption() }
        // An end tag without a start tag is ignored.
        guard let index = open.suffix(64).lastIndex(where: { $0.name == name }) else { return }
        // One that is closed already must not close that of a list around it.
        if Self.definitions.contains(name), open[index...].contains(where: { $0.name == "dl" }) {
            return
        }
        while open.count > index { close(open.removeLast().effect) }
    }

    private static let definitions: Set<String> = ["dt", "dd"]

    /// A term or a description ends where the next one begins: its end tag may be missing.
    private func endDefinition() {
        for element in open.suffix(64).reversed() {
            if Self.definitions.contains(element.name) { return end(element.name) }
            if ["dl", "table", "td", "th", "ul", "ol"].contains(element.name) { return }
        }
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard !isFull else { return }
        if let corrected = ControlReferences.corrected(bytes) {
            return corrected.withUnsafeBufferPointer { text($0) }
        }
        if choice != nil, skipCount == 0 {
            choice?.append(String(decoding: bytes, as: UTF8.self))
        } else if titleCount > 0, skipCount == 0 {
            if document.title.utf8.count < 1000 {
                document.title += String(decoding: bytes, as: UTF8.self)
            }
        } else if skipCount == 0 {
            if preformattedCount > 0 {
                var text = String(decoding: bytes.filter { $0 != 0x0D }, as: UTF8.self)
                if inline.isEmpty, text.utf8.first == 0x0A { text.removeFirst() }
                append(text)
            } else {
                append(inline.collapsed(bytes))
            }
        }
    }

    // MARK: - Beginning

    private func effect(of element: HTMLElement?, _ attributes: [String: String]) -> Effect {
        if skipCount > 0 { return .none }
        if choice != nil {
            guard case .skipped = element else { return .none }
        }
        if attributes["hidden"] != nil {
            skipCount += 1
            return .skip
        }
        guard let element else { return .none }
        switch element {
        case .skipped:
            skipCount += 1
            return .skip
        case .title:
            titleCount += 1
            return .title
        case .base: document.base = document.base ?? attributes["href"].map(Self.address)
        case .block:
            flush()
            return .block
        case .heading(let level):
            flush()
            defer { headingLevel = level }
            return .heading(before: headingLevel)
        case .look(let more): return begin(more, isBlock: false)
        case .lookedBlock(let more):
            flush()
            return begin(more, isBlock: true)
        case .preformatted:
            flush()
            preformattedCount += 1
            return .preformatted
        case .quotation: return begin(.quotation)
        case .list(let isOrdered):
            let effect = begin(.list(isOrdered: isOrdered))
            if let start = attributes["start"].flatMap({ Int($0) }), case .container = effect {
                containers[containers.count - 1].number = max(-99_999, min(start, 999_999))
            }
            if isOrdered, case .container = effect {
                containers[containers.count - 1].numbering = ListNumbering(attributes)
            }
            return effect
        case .item: return begin(.item(marker: marker(attributes["value"])))
        case .definition: return begin(.item(marker: ""))
        case .table: return begin(.table)
        case .row: return begin(.row)
        case .cell(let isHeading):
            let span = attributes["colspan"].flatMap { Int($0) } ?? 1
            let rowSpan = attributes["rowspan"].flatMap { Int($0) } ?? 1
            return begin(
                .cell(
                    isHeading: isHeading, columnSpan: max(1, min(span, 64)),
                    rowSpan: max(1, min(rowSpan, 1000))))
        case .link: return beginLink(attributes)
        case .frame:
            let before = beginLink(["href": attributes["src"] ?? ""])
            append("[\(Self.words(attributes["title"] ?? "frame"))]", .alternative)
            return before
        case .image: addPicture(attributes)
        case .input: append(HTMLForm.input(attributes), .alternative)
        case .choice:
            choice = HTMLChoice(attributes)
            return .choice
        case .quote:
            append("“")
            return .quote
        case .lineBreak:
            if preformattedCount > 0 { append("\n") } else { inline.breakLine(look) }
        case .wordBreak: append("\u{200B}")
        case .rule:
            flush()
            add(.rule)
        }
        return .none
    }

    private func begin(_ more: WebTextLook, isBlock: Bool) -> Effect {
        defer { look.formUnion(more) }
        return .look(look, isBlock: isBlock)
    }

    private func begin(_ kind: BlockContainer.Kind) -> Effect {
        flush()
        guard containers.count < Self.containerLimit, open.count < limits.depth else {
            return .block
        }
        containers.append(BlockContainer(kind))
        return .container
    }

    private func beginLink(_ attributes: [String: String]) -> Effect {
        if let name = attributes["name"], attributes["id"] == nil { addAnchor(name) }
        let before = link
        let address = Self.address(attributes["href"] ?? "")
        let scheme = address.prefix { $0 != ":" }.lowercased()
        if !address.isEmpty, !["javascript", "vbscript", "data"].contains(scheme) {
            document.links.append(WebLink(address))
            link = document.links.count - 1
        }
        return .link(before: before)
    }

    private func marker(_ value: String?) -> String {
        let index = containers.count - 1
        guard case .list(isOrdered: true) = containers[index].kind else { return "•" }
        if let value = value.flatMap({ Int($0) }) {
            containers[index].number = max(-99_999, min(value, 999_999))
        }
        let numbering = containers[index].numbering
        defer { containers[index].number += numbering.step }
        return numbering.marker(containers[index].number)
    }

    // MARK: - Ending

    private func close(_ effect: Effect) {
        switch effect {
        case .none: break
        case .skip: skipCount -= 1
        case .title: titleCount -= 1
        case .block: flush()
        case .container:
            flush()
            if containers.count > 1 { closeContainer() }
        case .preformatted:
            flush()
            preformattedCount -= 1
        case .quote: append("”")
        case .choice:
            guard var ended = choice else { return }
            choice = nil
            append(ended.finish(), .alternative)
        case .look(let before, let isBlock):
            if isBlock { flush() }
            look = before
        case .heading(let before):
            flush()
            headingLevel = before
        case .link(let before):
            // A link without contents.
            if let link, link == document.links.count - 1, link > lastNumbered, link != before {
                document.links.removeLast()
            }
            link = before
        }
    }

    private func closeContainer() {
        let ended = containers.removeLast()
        containers[containers.count - 1].take(ended)
    }

    // MARK: - Text and blocks

    private func append(_ text: String, _ more: WebTextLook = [], picture: Int? = nil) {
        guard !text.isEmpty || picture != nil else { return }
        var text = Substring(text)
        if let link, link > lastNumbered {
            let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\n" }
            guard let start = text.firstIndex(where: { !isSpace($0) }) else {
                return inline.append(String(text), look, link: nil)
            }
            inline.append(String(text[..<start]), look, link: nil)
            inline.append("[\(link + 1)]", look.union(.number), link: link)
            lastNumbered = link
            text = text[start...]
        }
        inline.append(String(text), look.union(more), link: link, picture: picture)
    }

    private func addPicture(_ attributes: [String: String]) {
        var words = HTMLForm.picture(attributes)
        guard let address = HTMLPicture.address(attributes).map(Self.address), !address.isEmpty,
            !HTMLPicture.isIcon(attributes), document.pictures.count < limits.pictureCount
        else { return append(words, .alternative) }
        // A link needs a text.
        if words.isEmpty, link != nil { words = HTMLForm.name(ofPictureAt: address) }
        document.pictures.append(
            WebPicture(
                address, words: words, width: HTMLPicture.length(attributes["width"]),
                height: HTMLPicture.length(attributes["height"])))
        append(words, .alternative, picture: document.pictures.count - 1)
    }

    /// Ends the line of text.
    private func flush() {
        let isPreformatted = preformattedCount > 0
        let runs = inline.finish(isPreformatted: isPreformatted)
        guard !runs.isEmpty else { return }
        if let headingLevel {
            add(.heading(level: headingLevel, runs))
        } else {
            add(isPreformatted ? .preformatted(runs) : .paragraph(runs))
        }
    }

    private func add(_ block: WebBlock) { containers[containers.count - 1].blocks.append(block) }

    private func addAnchor(_ name: String) {
        if !name.isEmpty, name.utf8.count < 200 { add(.anchor(name)) }
    }

    /// Normalizes an address in a page like browsers.
    private static func address(_ text: String) -> String {
        let kept = text.unicodeScalars.filter { $0.value >= 0x20 || $0.value == 0 }
        let bare = String(String.UnicodeScalarView(kept)).split(separator: " ").joined(
            separator: "%20")
        return bare.utf8.count <= 8192 ? bare : ""
    }

    static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
