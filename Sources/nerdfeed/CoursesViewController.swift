import CurlNetworking
import FoundationEssentials
import ByteClubMessages
import TerminalUI
import WebPages

/// The list of courses, with the selected one's page beside it, or over it on a narrow screen.
final class CoursesViewController: ViewController {
    private let feed: FeedSource
    private let session: URLSession
    private let list = ListView()
    private lazy var panel = Panel(TextLine(localized("BNR Courses")), content: list)
    private let wheel = ActivityIndicatorView()
    private let web: WebViewController
    private lazy var split = SplitView(panel, web.view, fraction: 0.36)
    private var courses: [Course] = []
    private var didCancelLogIn = false
    private var loading: Task<Void, Never>?

    init(_ feed: FeedSource, session: URLSession) {
        self.feed = feed
        self.session = session
        web = WebViewController(session: session)
        super.init()
        title = localized("BNR Courses")
        addChild(web)
    }

    override func viewDidLoad() {
        list.dataSource = self
        list.delegate = self
        web.webView.placeholder = TextLine(
            localized("Choose a course, and press Enter."), .secondary)
        web.didLeave = { [weak self] in self?.show(page: false) }
        view.addSubview(split)
        view.addSubview(wheel)
    }

    override func viewDidAppear() { load() }

    override var preferredFirstResponder: View? { split.prefersSecondary ? web.webView : list }

    override func layoutView(in bounds: Rect) {
        split.frame = bounds
        split.layoutIfNeeded()
        wheel.isHidden = panel.isHidden
        wheel.frame = Rect(x: panel.frame.maxX - 2, y: 0, width: 1, height: 1)
    }

    override var keyTable: KeyTable {
        KeyTable(localized("Courses")) {
            if list.isFirstResponder {
                KeyCommand.reloadCourses.performs { self.load() }
                KeyCommand.toPage.performs(
                    unless: web.isEmpty
                        ? localized("No page is open. Choose a course with Enter.") : nil
                ) { self.show(page: true) }
                if loading != nil { KeyCommand.stopLoading.performs { self.loading?.cancel() } }
            }
        }
    }

    private func load() {
        guard loading == nil else { return }
        wheel.start()
        list.emptyText = TextLine(localized("Loading the courses…"), .secondary)
        application?.beginActivity()
        didCancelLogIn = false
        let policy: URLRequest.CachePolicy =
            courses.isEmpty ? .useProtocolCachePolicy : .reloadIgnoringLocalCacheData
        let fetch = feed.makeFetch(in: session, policy: policy)
        fetch.didReceiveChallenge = { [weak self] challenge, answer in
            guard let self else { return answer(.cancelAuthenticationChallenge, nil) }
            LogInController.answer(challenge, over: self, with: answer) {
                application?.endActivity()
            } didAnswer: { [weak self] credential in
                self?.didCancelLogIn = credential == nil
                self?.application?.beginActivity()
            }
        }
        loading = Task { [self] in
            do throws(Failure) {
                show(try await CourseFeed.load(fetch, retry: .key))
            } catch {
                let reason =
                    Task.isCancelled
                    ? localized("Stopped. Press r to load the courses.")
                    : localized("The courses are only for those who log in. To log in, press r.")
                let isMine = Task.isCancelled || didCancelLogIn
                show(isMine ? Failure(sentence: reason) : error)
            }
            loading = nil
            wheel.stop()
            application?.endActivity()
        }
    }

    private func show(_ feed: CourseFeed) {
        courses = feed.courses
        list.emptyText = TextLine(
            localized("The list has no courses. Press r to load it again."), .secondary)
        list.reloadData()
        let count =
            courses.count == 1 ? localized("1 course") : localized("\(courses.count) courses")
        panel.trailingTitle = TextLine(count, .secondary)
        if !feed.complaints.isEmpty {
            application?.showMessage(feed.complaints.joined(separator: " "), .warning)
        }
    }

    private func show(_ failure: Failure) {
        list.emptyText = TextLine(failure.sentence, .warning)
        list.reloadData()
        if !courses.isEmpty { application?.showMessage(failure.sentence, .error, for: nil) }
    }

    private func show(page: Bool) {
        split.prefersSecondary = page
        view.setNeedsLayout()
        view.layoutIfNeeded()
        (page ? web.webView : list).becomeFirstResponder()
    }
}

extension CoursesViewController: ListViewDataSource, ListViewDelegate {
    func numberOfRows(in list: ListView) -> Int { courses.count }

    func listView(_ list: ListView, rowAt index: Int) -> ListRow {
        let course = courses[index]
        return ListRow(
            TextLine(course.title), columns: course.next.map { [.init($0, width: 10)] } ?? [])
    }

    func listView(_ list: ListView, identityOfRowAt index: Int) -> AnyHashable { courses[index] }

    func listView(_ list: ListView, didActivateRowAt index: Int) {
        guard let url = courses[index].url.flatMap({ URL(string: $0) }) else {
            application?.showMessage(localized("The list names no page for this course."), .warning)
            return
        }
        show(page: true)
        web.open(url)
    }
}

extension KeyCommand {
    static let reloadCourses = KeyCommand(
        "courses.reload", keys: ["r"], title: localized("Load the courses again"),
        label: localized("reload"), weight: 60)
    static let toPage = KeyCommand(
        "courses.page", keys: ["Tab", "Right"], title: localized("To the page"),
        label: localized("page"), weight: 70)
}
