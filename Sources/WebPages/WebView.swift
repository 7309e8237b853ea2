import FoundationEssentials
internal import Messages
public import TerminalUI
import WebText

/// Told what the reader of a page does.
@MainActor
public protocol WebViewDelegate: AnyObject {
    func webView(_ view: WebView, didFollowLink index: Int)

    /// The place, the chosen link or what is looked for has changed.
    func webViewDidMove(_ view: WebView)
}

/// Shows a page: scrolls, chooses links, finds words.
public final class WebView: View {
    public weak var delegate: (any WebViewDelegate)?

    public private(set) var page: WebPage?
    /// Said while there is no page.
    public var placeholder: TextLine = "" {
        didSet { if placeholder != oldValue { setNeedsDisplay() } }
    }
    /// The first line that is shown.
    public private(set) var firstLine = 0
    /// The index of the link that Enter follows.
    public internal(set) var chosenLink: Int?
    /// The digits of a link's number, as far as they were typed.
    var typedNumber = ""

    let findField = TextField()
    var finding = Finding()
    private var layingOut: Task<Void, Never>?

    /// Pages of up to so many lines are laid out at once, longer ones beside the main actor.
    private static let linesAtOnce = 1000

    public override init() {
        super.init()
        findField.isHidden = true
        findField.placeholder = TextLine(localized("what to look for"), .secondary)
        findField.didChange = { [weak self] in self?.queryDidChange() }
        findField.didSubmit = { [weak self] in self?.keepFinding() }
        addSubview(findField)
    }

    public override var canBecomeFirstResponder: Bool { true }

    var layout: WebLayout? { page?.layout }

    // MARK: - The page

    /// Shows another page, or the same one again.
    ///
    /// - Parameters:
    ///   - line: The first line to show; nil for the place that the address names, or the top.
    ///   - link: The link to choose.
    public func show(_ page: WebPage?, line: Int? = nil, link: Int? = nil) {
        layingOut?.cancel()
        self.page = page
        endFinding()
        typedNumber = ""
        chosenLink = link
        firstLine = 0
        fitWidth()
        scroll(toLine: line ?? anchoredLine ?? 0)
        delegate?.webViewDidMove(self)
    }

    private var anchoredLine: Int? {
        guard let name = page?.url.fragment(percentEncoded: false) else { return nil }
        return layout?.anchors[name]
    }

    /// The columns that lines may have: longer ones are hard to read. 80 before the view has a place.
    public var textWidth: Int { bounds.width > 0 ? min(bounds.width, 100) : 80 }

    /// Makes the lines again when the page was laid out for another width.
    private func fitWidth() {
        let width = textWidth
        guard let page, bounds.width > 0, page.layout.width != width else { return }
        layingOut?.cancel()
        if page.layout.lines.count <= Self.linesAtOnce {
            var page = page
            page.layout = WebLayout(page.document, width: width)
            replaceLayout(by: page)
        } else {
            layingOut = startPending { [weak self] in
                let page = await page.laidOut(for: width)
                guard let self, !Task.isCancelled, textWidth == width else { return }
                replaceLayout(by: page)
            }
        }
    }

    /// The eye stays at about the same words.
    private func replaceLayout(by page: WebPage) {
        let before = max(1, layout?.lines.count ?? 1)
        let line = firstLine * page.layout.lines.count / before
        self.page = page
        scroll(toLine: line)
        findAgain()
    }

    public override func layoutSubviews() {
        findField.frame = Rect(
            x: 2, y: bounds.height - 1, width: max(0, bounds.width - 14), height: 1)
        fitWidth()
        scroll(toLine: firstLine)
    }

    // MARK: - Scrolling

    /// Rows for the page.
    var pageHeight: Int { max(1, bounds.height - (findField.isHidden ? 0 : 1)) }

    private var lastFirstLine: Int { max(0, (layout?.lines.count ?? 0) - pageHeight) }

    public func scroll(toLine line: Int) {
        let line = max(0, min(line, lastFirstLine))
        guard line != firstLine else { return }
        firstLine = line
        setNeedsDisplay()
        delegate?.webViewDidMove(self)
    }

    /// Scrolls so that a line can be seen, and something of what is around it.
    func reveal(line: Int) {
        let margin = min(2, pageHeight / 4)
        if line < firstLine + margin {
            scroll(toLine: line - margin)
        } else if line >= firstLine + pageHeight - margin {
            scroll(toLine: line - pageHeight + 1 + margin)
        }
    }

    /// How far the reader is: `Top`, `37%`, `End`, `All`.
    public var progress: String {
        if lastFirstLine == 0 { return localized("All") }
        if firstLine == 0 { return localized("Top") }
        return firstLine >= lastFirstLine ? localized("End") : "\(firstLine * 100 / lastFirstLine)%"
    }

    public override func mouse(_ event: MouseEvent) -> Bool {
        switch event.action {
        case .scrollUp: scroll(toLine: firstLine - 3)
        case .scrollDown: scroll(toLine: firstLine + 3)
        case .press where event.button == .left:
            becomeFirstResponder()
            guard let link = link(at: event.location) else { return true }
            chosenLink = link
            delegate?.webView(self, didFollowLink: link)
        default: return false
        }
        return true
    }

    private func link(at point: Point) -> Int? {
        guard let lines = layout?.lines, lines.indices.contains(firstLine + point.y) else {
            return nil
        }
        var x = 0
        for span in lines[firstLine + point.y].spans {
            x += Surface.columnCount(of: span.text)
            if point.x < x { return span.link }
        }
        return nil
    }

    public override var keyTable: KeyTable { makeKeyTable() }

    public override func keyDown(_ press: KeyPress) -> Bool { takeDigit(press) }

    public override func focusDidChange() { setNeedsDisplay() }

    // MARK: - Drawing

    public override func draw(on surface: Surface) {
        guard let lines = layout?.lines else {
            for (row, line) in placeholder.wrapped(columns: bounds.width).enumerated() {
                surface.draw(line, at: Point(x: 0, y: row))
            }
            return
        }
        for row in 0..<min(pageHeight, lines.count - firstLine) {
            draw(lines[firstLine + row], firstLine + row, at: row, on: surface)
        }
        if !findField.isHidden || finding.isShown { drawFinding(on: surface) }
    }

    private func draw(_ line: WebLine, _ index: Int, at row: Int, on surface: Surface) {
        var x = 0
        var offset = 0
        for span in line.spans {
            let isChosen = span.link != nil && span.link == chosenLink
            let style =
                isChosen
                ? surface.theme[isFirstResponder ? .selection : .inactiveSelection]
                : Self.style(of: span, in: surface.theme)
            for part in finding.parts(of: span.text, from: offset, inLine: index) {
                let look = part.role.map { surface.theme[$0] } ?? style
                x += surface.draw(
                    part.text, at: Point(x: x, y: row), style: look, columns: bounds.width - x,
                    truncation: .clip)
            }
            offset += span.text.utf8.count
        }
    }

    private static func style(of span: WebRun, in theme: Theme) -> Style {
        let look = span.look
        let role: Role =
            if look.contains(.border) {
                .border
            } else if look.contains(.number) {
                .secondary
            } else if look.contains(.marker) {
                .sign
            } else if span.link != nil {
                .link
            } else if look.contains(.heading) {
                .heading
            } else if look.contains(.code) {
                .code
            } else if look.contains(.alternative) || look.contains(.deleted) {
                .secondary
            } else {
                .text
            }
        var style = theme[role]
        if look.contains(.strong) { style = style.adding(theme[.strong].attributes) }
        if look.contains(.emphasis) { style = style.adding(theme[.emphasis].attributes) }
        return style
    }
}
