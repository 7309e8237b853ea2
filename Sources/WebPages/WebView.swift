import FoundationEssentials
internal import ByteClubMessages
public import TerminalUI
public import WebText

/// Receives the reader's actions in a page.
@MainActor
public protocol WebViewDelegate: AnyObject {
    func webView(_ view: WebView, didFollowLink index: Int)

    /// The position, the chosen link or the search has changed.
    func webViewDidMove(_ view: WebView)
}

/// Shows a page: scrolls, chooses links, searches.
public final class WebView: View {
    public weak var delegate: (any WebViewDelegate)?

    public private(set) var page: WebPage?
    /// Shown without a page.
    public var placeholder: TextLine = "" {
        didSet { if placeholder != oldValue { setNeedsDisplay() } }
    }
    /// The first visible line.
    public private(set) var firstLine = 0
    /// The index of the link that Enter follows.
    public internal(set) var chosenLink: Int?
    /// The typed digits of a link's number.
    var typedNumber = ""

    let findField = TextField()
    var finding = FindState()
    private var layingOut: Task<Void, Never>?
    /// The format of the pending layout.
    private var nextFormat: WebPageFormat?

    /// Loads the page's pictures; nil to show replacement words.
    var pictures: WebPictures?
    /// Whether pictures are shown if the screen supports them.
    public var showsPictures = true {
        didSet { if showsPictures != oldValue { setNeedsLayout() } }
    }
    /// Whether the page was just scrolled: pixels are sent again only when it rests.
    private var isMoving = false
    private var resting: ScheduledAction?
    private static let restingTime: Duration = .milliseconds(120)

    /// Pages up to this number of lines are laid out synchronously, longer ones off the main actor.
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
    ///   - place: The position to show; nil for the one that the address names, or the top.
    ///   - link: The link to choose.
    public func show(_ page: WebPage?, at place: WebPlace? = nil, link: Int? = nil) {
        layingOut?.cancel()
        (layingOut, nextFormat) = (nil, nil)
        self.page = page
        pictures?.begin(page)
        self.page?.image = nil
        endFinding()
        typedNumber = ""
        chosenLink = link
        let line = place.flatMap { layout?.line(of: $0) } ?? anchoredLine ?? 0
        firstLine = max(0, min(line, lastFirstLine))
        fit()
        bringPictures()
        setNeedsDisplay()
        delegate?.webViewDidMove(self)
    }

    private var anchoredLine: Int? {
        guard let name = page?.url.fragment(percentEncoded: false) else { return nil }
        return layout?.anchors[name]
    }

    /// The maximum line length: longer lines are hard to read. 80 before layout.
    public var textWidth: Int { bounds.width > 0 ? min(bounds.width, 100) : 80 }

    /// The current format for layouts.
    public var format: WebPageFormat {
        guard showsPictures, canShowPictures, let pictures, let screen = application?.screen else {
            return WebPageFormat(width: textWidth)
        }
        // A picture is completely visible, with a line of its surroundings.
        let rows = bounds.height > 0 ? min(40, max(3, bounds.height - 1)) : 20
        return WebPageFormat(
            width: textWidth,
            pictures: pictures.metrics(cellAspect: screen.pictures.cellAspect, rowLimit: rows))
    }

    /// The same for a new page.
    var newPageFormat: WebPageFormat {
        var format = format
        format.pictures?.sizes = [:]
        format.pictures?.failed = []
        return format
    }

    /// The current position.
    var place: WebPlace? { layout?.place(atLine: firstLine) }

    /// Whether the screen has colors and is not for a screen reader: otherwise words are better.
    var canShowPictures: Bool {
        guard let application else { return false }
        return application.screen.colorDepth != .monochrome && application.screen.showsUnicode
            && application.configuration.scheme != .mono && !application.configuration.isPlain
    }

    /// Lays out the page again if its format has changed.
    private func fit() {
        guard let page, bounds.width > 0 else { return }
        let format = format
        guard
            page.layout.isPartial || page.layout.width != format.width
                || page.layout.pictureMetrics != format.pictures
        else { return }
        if !page.layout.isPartial, page.layout.lines.count <= Self.linesAtOnce {
            return replaceLayout(
                by: format.layout(page.document))
        }
        // While pictures arrive, the pending layout is completed first.
        if let nextFormat, nextFormat.width == format.width { return }
        layingOut?.cancel()
        nextFormat = format
        layingOut = startPending { [weak self] in
            let layout = await page.layout(for: format)
            guard let self, !Task.isCancelled else { return }
            (layingOut, nextFormat) = (nil, nil)
            if textWidth == format.width { replaceLayout(by: layout) }
            setNeedsLayout()
        }
    }

    /// Keeps the same text at the top.
    private func replaceLayout(by layout: WebLayout) {
        let place = page?.layout.place(atLine: firstLine)
        let isAtTop = firstLine == 0
        page?.layout = layout
        if let place, !isAtTop { scroll(toLine: layout.line(of: place), isReading: false) }
        findAgain()
        setNeedsDisplay()
        delegate?.webViewDidMove(self)
    }

    public override func layoutSubviews() {
        findField.frame = Rect(
            x: 2, y: bounds.height - 1, width: max(0, bounds.width - 14), height: 1)
        fit()
        scroll(toLine: firstLine, isReading: false)
        bringPictures()
    }

    // MARK: - Scrolling

    /// The number of rows for the page.
    var pageHeight: Int { max(1, bounds.height - (findField.isHidden ? 0 : 1)) }

    private var lastFirstLine: Int { max(0, (layout?.lines.count ?? 0) - pageHeight) }

    public func scroll(toLine line: Int) { scroll(toLine: line, isReading: true) }

    /// - Parameter isReading: Whether the user scrolls, as opposed to a changed layout.
    private func scroll(toLine line: Int, isReading: Bool) {
        let line = max(0, min(line, lastFirstLine))
        guard line != firstLine else { return }
        firstLine = line
        if isReading {
            bringPictures()
            rest()
        }
        setNeedsDisplay()
        delegate?.webViewDidMove(self)
    }

    // MARK: - Pictures

    /// A picture was loaded, or has failed.
    func picturesDidChange() { setNeedsLayout() }

    private func bringPictures() {
        guard let layout, layout.pictureMetrics != nil, bounds.height > 0 else { return }
        pictures?.update(layout, near: firstLine..<(firstLine + pageHeight))
    }

    /// Counts as moving until there is no key for a moment.
    private func rest() {
        guard layout?.pictures.isEmpty == false, let application,
            [.sixel, .iterm].contains(application.screen.pictures.format)
        else { return }
        isMoving = true
        if resting == nil { application.beginActivity() }
        resting?.cancel()
        resting = application.scheduler.schedule(after: Self.restingTime) { [weak self] in
            self?.resting = nil
            self?.isMoving = false
            self?.setNeedsDisplay()
            application.endActivity()
        }
    }

    private func drawPictures(_ layout: WebLayout, on surface: Surface) {
        guard let page, let screen = application?.screen else { return }
        let seen = firstLine..<(firstLine + pageHeight)
        for placed in layout.pictures where placed.lines.overlaps(seen) {
            let origin = Point(x: placed.column, y: placed.line - firstLine)
            let box = Size(width: placed.columnCount, height: placed.rowCount)
            guard let frame = pictures?.frame(of: placed.index, filling: box, on: screen.pictures)
            else {
                let words = TextLine(page.document.pictures[placed.index].words, .secondary)
                for (row, line) in words.wrapped(columns: box.width).prefix(box.height).enumerated()
                {
                    surface.draw(line, at: origin + Point(x: 0, y: row))
                }
                continue
            }
            surface.draw(frame.cells, at: origin)
            guard let graphic = frame.graphic, !isMoving || graphic.kind == .placeholders else {
                continue
            }
            surface.place(graphic, at: origin)
        }
    }

    /// Scrolls to a line with some of its surroundings.
    func reveal(line: Int) {
        let margin = min(2, pageHeight / 4)
        if line < firstLine + margin {
            scroll(toLine: line - margin)
        } else if line >= firstLine + pageHeight - margin {
            scroll(toLine: line - pageHeight + 1 + margin)
        }
    }

    /// The reader's progress: `Top`, `37%`, `End`, `All`.
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

    public override var focusPosition: Point? { placeOfChoice ?? .zero }

    public override var keyTable: KeyTable { makeKeyTable() }

    public override func keyDown(_ press: KeyPress) -> Bool {
        takeDigit(press) == .taken
    }

    public override func focusDidChange() { setNeedsDisplay() }

    // MARK: - Drawing

    public override func draw(on surface: Surface) {
        guard let lines = layout?.lines else {
            for (row, line) in placeholder.wrapped(columns: bounds.width).enumerated() {
                surface.draw(line, at: Point(x: 0, y: row))
            }
            return
        }
        for row in 0..<max(0, min(pageHeight, lines.count - firstLine)) {
            draw(lines[firstLine + row], firstLine + row, at: row, on: surface)
        }
        if let layout { drawPictures(layout, on: surface) }
        if !findField.isHidden || finding.isShown { drawFinding(on: surface) }
    }

    private func draw(_ line: WebLine, _ index: Int, at row: Int, on surface: Surface) {
        var x = 0
        var offset = 0
        for span in line.spans {
            if span.look.contains(.picture) {
                x += span.text.utf8.count
                offset += span.text.utf8.count
                continue
            }
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
