internal import ByteClubMessages

/// Shows one of several controllers, with a tab bar at the top.
public final class TabBarController: ViewController {
    /// The controllers in tab order; never empty.
    public private(set) var tabs: [ViewController]
    /// The selected tab, zero-based.
    public private(set) var selectedIndex = 0

    /// Shown before the tabs, e.g. the program's name; omitted if there is no room.
    public var brand: TextLine = "" {
        didSet { if brand != oldValue { bar.setNeedsDisplay() } }
    }

    /// Shown at the right end, e.g. "3 to upload" or "offline".
    public var status: TextLine = "" {
        didSet { if status != oldValue { bar.setNeedsDisplay() } }
    }

    /// Shorter forms of ``status``, longest first, for screens on which it does not fit.
    public var shorterStatuses: [TextLine] = [] {
        didSet { if shorterStatuses != oldValue { bar.setNeedsDisplay() } }
    }

    /// A separate row below the tabs, on sufficiently large screens; nil for none.
    public var bottomView: View? {
        didSet {
            guard bottomView !== oldValue else { return }
            oldValue?.removeFromSuperview()
            if isViewLoaded, let bottomView { view.addSubview(bottomView) }
            application?.setNeedsDisplay()
            if isViewLoaded { view.setNeedsLayout() }
        }
    }

    /// With fewer rows the bottom view is hidden.
    private static let leastHeightWithBottomView = 11

    /// Animated while work is pending.
    public let activityIndicator = ActivityIndicatorView()

    /// Called after another tab was selected.
    public var didSelect: (@MainActor (Int) -> Void)?

    private lazy var bar = TabBar(self)

    /// A tab bar with the first tab selected.
    ///
    /// - Parameter tabs: At least one; their titles name the tabs. The first nine can be selected by number
    ///   keys.
    public init(_ tabs: [ViewController]) {
        precondition(!tabs.isEmpty, "a tab bar needs a tab")
        self.tabs = tabs
        super.init()
        for tab in tabs { addChild(tab) }
    }

    /// The controller whose view is shown below the bar.
    public var selectedViewController: ViewController { tabs[selectedIndex] }

    public override var visibleChildren: [ViewController] { [selectedViewController] }

    public override func viewDidLoad() {
        view.addSubview(bar)
        bar.addSubview(activityIndicator)
        view.addSubview(selectedViewController.view)
        if let bottomView { view.addSubview(bottomView) }
    }

    public override func layoutView(in bounds: Rect) {
        var area = bounds
        bar.frame = area.takeTop(1)
        if let bottomView {
            bottomView.isHidden = bounds.height < Self.leastHeightWithBottomView
            if !bottomView.isHidden { bottomView.frame = area.takeBottom(1) }
        }
        selectedViewController.view.frame = area
    }

    public override var preferredFirstResponder: View? {
        selectedViewController.preferredFirstResponder
    }

    /// Selects a tab and moves the focus to it.
    public func select(_ index: Int) {
        guard tabs.indices.contains(index), index != selectedIndex else { return }
        let old = selectedViewController
        selectedIndex = index
        transition(from: old, to: selectedViewController, in: view)
        application?.focus(in: selectedViewController)
        didSelect?(index)
    }

    /// Replaces the tabs and shows the one at the same position.
    public func replaceTabs(_ new: [ViewController]) {
        precondition(!new.isEmpty, "a tab bar needs a tab")
        let hasFocus = isViewLoaded && view.containsFirstResponder
        for tab in tabs { removeChild(tab) }
        tabs = new
        for tab in new { addChild(tab) }
        selectedIndex = min(selectedIndex, new.count - 1)
        guard isViewLoaded else { return }
        transition(from: nil, to: selectedViewController, in: view)
        view.setNeedsLayout()
        if hasFocus { application?.focus(in: selectedViewController) }
    }

    // MARK: - Keys

    public override var keyTable: KeyTable {
        KeyTable(localized("Tabs")) {
            KeyCommand.nextTab.performs { self.step(by: 1) }
            KeyCommand.previousTab.performs { self.step(by: -1) }
            for index in tabs.indices.prefix(9) {
                KeyCommand.tab(index + 1, title: tabs[index].title).performs { self.select(index) }
            }
        }
    }

    private func step(by step: Int) {
        select((selectedIndex + step + tabs.count) % tabs.count)
    }
}

extension KeyCommand {
    /// Selects the next tab; after the last, the first.
    public static let nextTab = KeyCommand(
        "tabs.next", keys: ["Tab"], title: localized("Next tab"), label: localized("tabs"),
        weight: 30)
    /// Selects the previous tab; before the first, the last.
    public static let previousTab = KeyCommand(
        "tabs.previous", keys: ["S-Tab"], title: localized("Previous tab"))

    /// Selects a tab by its number, from 1.
    public static func tab(_ number: Int, title: String) -> KeyCommand {
        KeyCommand(
            "tabs.\(number)", keys: [KeySequence([.character(Unicode.Scalar(UInt8(48 + number)))])],
            title: localized("Tab \(title)"))
    }
}

/// The first row: titles, the activity indicator, the status.
private final class TabBar: View {
    private unowned let controller: TabBarController

    init(_ controller: TabBarController) {
        self.controller = controller
        super.init()
    }

    /// The columns of each title that can be clicked.
    private var titleColumns: [Range<Int>] {
        let titles = controller.tabs.map { Surface.columnCount(of: $0.title) + 2 }
        let tabsWidth = titles.reduce(0, +) + titles.count - 1
        let brandWidth = controller.brand.columnCount
        var x = brandWidth > 0 && brandWidth + 4 + tabsWidth <= bounds.width ? brandWidth + 4 : 1
        return titles.map { width in
            defer { x += width + 1 }
            return x..<(x + width)
        }
    }

    override func layoutSubviews() {
        // Where the titles need the whole row, the column before them is free.
        let isFree = (titleColumns.last?.upperBound ?? 0) < bounds.width - 2
        controller.activityIndicator.frame = Rect(
            x: isFree ? bounds.width - 2 : 0, y: 0, width: 1, height: 1)
    }

    override func draw(on surface: Surface) {
        let columns = titleColumns
        if let first = columns.first, first.lowerBound > 1 {
            surface.draw(controller.brand, at: Point(x: 1, y: 0), columns: first.lowerBound - 3)
        }
        for (index, range) in columns.enumerated() {
            let isSelected = index == controller.selectedIndex
            let style = surface.theme[isSelected ? .activeTab : .inactiveTab]
            let rect = Rect(x: range.lowerBound, y: 0, width: range.count, height: 1)
            if isSelected { surface.fill(rect, style: style) }
            surface.draw(
                controller.tabs[index].title, at: Point(x: range.lowerBound + 1, y: 0),
                style: style)
            // The blanks around a title belong to it.
            if isSelected, surface.theme.isPlain {
                surface.draw("[", at: Point(x: range.lowerBound, y: 0), style: style)
                surface.draw("]", at: Point(x: range.upperBound - 1, y: 0), style: style)
            }
        }
        // The last two columns are for the activity indicator.
        let start = (columns.last?.upperBound ?? 0) + 2
        let room = bounds.width - 3 - start
        let statuses = [controller.status] + controller.shorterStatuses
        let status = statuses.first { $0.columnCount <= room } ?? statuses[statuses.count - 1]
        if !status.isEmpty, room >= min(status.columnCount, 8) {
            surface.draw(
                status, in: Rect(x: start, y: 0, width: room, height: 1), alignment: .trailing)
        }
    }

    override func mouse(_ event: MouseEvent) -> Bool {
        guard event.action == .press, event.button == .left,
            let index = titleColumns.firstIndex(where: { $0.contains(event.location.x) })
        else { return false }
        controller.select(index)
        return true
    }
}
