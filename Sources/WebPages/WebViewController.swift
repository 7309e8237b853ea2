public import CurlNetworking
public import FoundationEssentials
internal import ByteClubMessages
public import TerminalUI
import TextEditing
import WebText

/// A page in a frame, with a history and loading.
public final class WebViewController: ViewController {
    private let session: URLSession
    public let webView = WebView()
    private lazy var panel = Panel(content: webView, padding: 1)
    private let wheel = ActivityIndicatorView()
    private var history = WebHistory()
    private var loading: Task<Void, Never>?
    /// The current load; results of earlier ones are dropped.
    private var generation = 0
    /// Whether a load is running.
    private var isBusy = false {
        didSet {
            guard isBusy != oldValue else { return }
            if isBusy {
                application?.beginActivity()
                wheel.start()
            } else {
                application?.endActivity()
                wheel.stop()
            }
        }
    }
    private var bytes = ""
    private var didCancelLogIn = false
    private var didStop = false

    /// Called for Esc if it has no other use; nil leaves the key unhandled.
    public var didLeave: (@MainActor () -> Void)?

    /// - Parameter session: Its delegate queue must be the main queue.
    public init(session: URLSession) {
        self.session = session
        super.init()
        webView.pictures = WebPictures(session, for: webView)
        title = localized("Page")
    }

    public override func viewDidLoad() {
        webView.delegate = self
        view.addSubview(panel)
        view.addSubview(wheel)
        describe()
    }

    public override func layoutView(in bounds: Rect) {
        panel.frame = bounds
        wheel.frame = Rect(x: bounds.width - 2, y: 0, width: 1, height: 1)
    }

    public override var preferredFirstResponder: View? { webView }

    /// Whether no page is shown or being loaded.
    public var isEmpty: Bool { history.current == nil && loading == nil }

    // MARK: - Loading

    /// Loads a URL and shows it as a new page.
    public func open(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            application?.showMessage(
                localized(
                    "Only http and https addresses can be opened, and this is \(url.absoluteString.prefix(200))"
                ),
                .warning)
            return
        }
        remember()
        load(url, isNew: true, policy: .useProtocolCachePolicy)
    }

    public func reload() {
        guard let url = history.current?.url else { return }
        remember()
        load(url, isNew: false, policy: .reloadIgnoringLocalCacheData)
    }

    /// Cancels loading.
    public func stop() {
        guard loading != nil else { return }
        didStop = true
        loading?.cancel()
    }

    private func load(_ url: URL, isNew: Bool, policy: URLRequest.CachePolicy) {
        loading?.cancel()
        generation += 1
        let number = generation
        didCancelLogIn = false
        didStop = false
        isBusy = true
        bytes = ""
        webView.placeholder = TextLine(localized("Loading \(url.host() ?? "")…"), .secondary)
        let fetch = WebFetch(
            URLRequest(url: url, cachePolicy: policy), in: session,
            pictureLimit: WebImageLoader.openedByteLimit)
        fetch.didProgress = { [weak self] count, expected in
            guard let self, number == generation else { return }
            let total = expected.map { localized(" of \(WebFailure.size($0))") } ?? ""
            bytes = count == 0 ? "" : WebFailure.size(count) + total
            describe()
        }
        fetch.didReceiveChallenge = { [weak self] challenge, answer in
            guard let self, number == generation else {
                return answer(.cancelAuthenticationChallenge, nil)
            }
            LogInController.answer(challenge, over: self, with: answer) {
                isBusy = false
            } didAnswer: { [weak self] credential in
                guard let self, number == generation else { return }
                didCancelLogIn = credential == nil
                isBusy = true
            }
        }
        var format = webView.newPageFormat
        // The target position may be anywhere in the page.
        format.isBeginning = isNew && url.fragment() == nil
        loading = Task { [weak self] in
            let page = await Self.page(at: url, from: fetch, format: format) {
                self?.didCancelLogIn == true
            }
            guard let self, number == generation else { return }
            loading = nil
            isBusy = false
            if didStop, history.current != nil {
                application?.showMessage(localized("Stopped."))
                return describe()
            }
            show(page, askedFor: url, isNew: isNew)
        }
        describe()
    }

    /// The page at a URL, or a page that says why it could not be loaded.
    private static func page(
        at url: URL, from fetch: WebFetch, format: WebPageFormat, didCancelLogIn: () -> Bool
    ) async -> WebPage {
        do {
            var resource = try await fetch.run()
            if resource.url.fragment() == nil, let fragment = url.fragment() {
                resource.url =
                    URL(string: resource.url.absoluteString + "#" + fragment) ?? resource.url
            }
            let sentence = WebFailure.sentence(forStatus: resource.statusCode, url: resource.url)
            var page = await WebPage.reading(resource, format: format)
            if let sentence {
                page.document.blocks.insert(.paragraph([WebRun(sentence, .strong)]), at: 0)
                if page.document.blocks.count > 1 { page.document.blocks.insert(.rule, at: 1) }
                page = WebPage(url: page.url, document: page.document, format: format)
            }
            return page
        } catch {
            let sentence =
                didCancelLogIn()
                ? localized("This page is only for those who log in. To log in, press r.")
                : WebFailure.sentence(for: error, url: url, retry: .key)
            return WebPage(
                url: url, document: WebPage.notice(localized("Could not be loaded"), sentence),
                format: format)
        }
    }

    private func show(_ page: WebPage, askedFor url: URL, isNew: Bool) {
        let place = isNew ? nil : history.current?.place
        let entry = WebHistory.Entry(url: url, page: page, title: page.title, place: place)
        if isNew { history.push(entry) } else { history.current = entry }
        webView.show(page, at: place)
        describe()
        if let cut = page.document.cut {
            application?.showMessage(Self.sentence(for: cut), .warning)
        }
    }

    private static func sentence(for cut: WebDocument.Cut) -> String {
        switch cut {
        case .size: localized("The page is longer than 4 MiB. Its end is not shown.")
        case .elementCount: localized("The page has too many parts. Its end is not shown.")
        case .time: localized("The page took too long to read. Its end is not shown.")
        }
    }

    // MARK: - Back and forward

    private func remember() {
        // While a released page is loaded again, another one is shown.
        guard history.current?.page != nil else { return }
        // With the current layout of its pictures.
        history.current?.page = webView.page
        history.current?.place = webView.place
        history.current?.link = webView.chosenLink
    }

    private func move(by step: Int) {
        loading?.cancel()
        loading = nil
        generation += 1
        isBusy = false
        remember()
        history.move(by: step)
        guard let entry = history.current else { return }
        if let page = entry.page {
            webView.show(page, at: entry.place, link: entry.link)
            describe()
        } else {
            load(entry.url, isNew: false, policy: .returnCacheDataElseLoad)
        }
    }

    public override var keyTable: KeyTable {
        KeyTable(localized("Pages")) {
            if isBusy { KeyCommand.stopLoading.performs { self.stop() } }
            KeyCommand.goBack.performs(
                unless: history.canGoBack ? nil : localized("This is the first page.")
            ) { self.move(by: -1) }
            KeyCommand.goForward.performs(
                unless: history.canGoForward ? nil : localized("This is the last page.")
            ) { self.move(by: 1) }
            KeyCommand.reloadPage.performs(
                unless: history.current == nil ? localized("There is no page yet.") : nil
            ) { self.reload() }
            KeyCommand.togglePictures.performs(
                unless: webView.canShowPictures
                    ? nil : localized("Pictures are shown where there are colors.")
            ) { self.togglePictures() }
            if let didLeave { KeyCommand.leavePage.performs { didLeave() } }
        }
    }

    private func togglePictures() {
        webView.showsPictures.toggle()
        application?.showMessage(
            webView.showsPictures
                ? localized("Pictures are shown.")
                : localized("Pictures are replaced by words. To see them, press i."))
    }

    // MARK: - The frame

    private func describe() {
        let words = history.current?.title ?? localized("Page")
        panel.title = TextLine(String(words.prefix(200)))
        panel.trailingTitle =
            isBusy
            ? TextLine(bytes.isEmpty ? localized("loading") : bytes, .secondary)
            : webView.page == nil ? nil : TextLine(webView.progress, .secondary)
        panel.footer = footer
    }

    /// The target of the chosen link, as far as it fits.
    private var footer: TextLine? {
        guard let link = webView.chosenLink, let page = webView.page else { return nil }
        let address = page.target(ofLink: link)?.absoluteString ?? page.document.links[link].address
        let room = panel.bounds.width - 6
        let text = "\(link + 1): \(address)"
        guard Surface.columnCount(of: text) > room else { return TextLine(text, .secondary) }
        return TextLine(
            CellWidth.prefix(of: text, fitting: max(0, room - 1)).text + "…", .secondary)
    }
}

extension WebViewController: WebViewDelegate {
    public func webView(_ view: WebView, didFollowLink index: Int) {
        guard let page = view.page, let url = page.target(ofLink: index) else {
            application?.showMessage(localized("This link is not a valid address."), .warning)
            return
        }
        // A position in the same page.
        if let name = url.fragment(percentEncoded: false), page.url.isSamePage(as: url) {
            // HTML standard, 7.4.6.4: `#top` is the top of the page.
            guard
                name.isEmpty || name.lowercased() == "top" || page.layout.anchors[name] != nil
            else {
                application?.showMessage(localized("The page has no place of this name."), .warning)
                return
            }
            remember()
            var page = page
            page.url = url
            history.push(WebHistory.Entry(url: url, page: page, title: page.title))
            webView.show(page)
            return describe()
        }
        open(url)
    }

    public func webViewDidMove(_ view: WebView) { describe() }
}

extension URL {
    /// Whether both differ at most in their fragments.
    fileprivate func isSamePage(as other: URL) -> Bool {
        absoluteString.prefix { $0 != "#" } == other.absoluteString.prefix { $0 != "#" }
    }
}

extension KeyCommand {
    static let goBack = KeyCommand(
        "web.back", keys: ["Left", "Backspace", "M-Left", "H"], title: localized("Back"),
        label: localized("back"),
        weight: 80)
    static let goForward = KeyCommand(
        "web.forward", keys: ["Right", "M-Right", "L"], title: localized("Forward"),
        label: localized("forward"),
        weight: 55)
    static let reloadPage = KeyCommand(
        "web.reload", keys: ["r", "^R"], title: localized("Load the page again"),
        label: localized("reload"), weight: 58)
    static let togglePictures = KeyCommand(
        "web.pictures", keys: ["i"], title: localized("Show pictures, or words in place of them"),
        label: localized("pictures"), weight: 40)
    /// Stops what is being loaded.
    public static let stopLoading = KeyCommand(
        "web.stop", keys: ["Esc", "^C"], title: localized("Stop loading"), label: localized("stop"),
        weight: 99)
    static let leavePage = KeyCommand(
        "web.leave", keys: ["Esc"], title: localized("Back to the list"), label: localized("list"),
        weight: 88)
}
