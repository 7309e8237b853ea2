import ByteClubMessages
import TextEditing

/// The search row below a text, with a second row for the replacement.
///
/// Matches are shown while typing. Esc returns to the initial caret position; Tab moves into the text at the
/// match, where ``KeyCommand/findNext`` continues.
public final class FindBar: View {
    /// The text to search; it gets the focus back when the bar is closed.
    public let textView: TextView
    /// The search, and the marks on the text.
    public let finder: TextFinder
    /// Called when the bar appears, disappears or resizes: its owner lays it out again.
    public var didChangeLayout: (@MainActor () -> Void)?

    let findField = TextField()
    let replaceField = TextField()
    /// Whether the second row, with the replacement, is shown.
    public private(set) var isReplacing = false
    private var isExpression = false
    private var caseRule = TextSearch.CaseRule.smart
    /// The initial caret and scroll position, for Esc; nil after a replacement.
    private var start: (selection: Selection, scrollAnchor: Int)?
    private var origin = 0

    /// A bar for one text view, hidden until ``open(replacing:)``. The caller places it as a view.
    public init(_ textView: TextView) {
        self.textView = textView
        finder = TextFinder(textView)
        super.init()
        isHidden = true
        addSubview(findField)
        addSubview(replaceField)
        findField.placeholder = TextLine(localized("what to look for"), .secondary)
        replaceField.placeholder = TextLine(localized("nothing"), .secondary)
        findField.didChange = { [weak self] in self?.queryDidChange() }
        finder.didChange = { [weak self] in self?.finderDidChange() }
        replaceField.isHidden = true
    }

    /// The preferred number of rows.
    public var rowCount: Int { isReplacing ? 2 : 1 }

    // MARK: - Opening and closing

    /// Opens with the last query, or with the selected text.
    public func open(replacing: Bool) {
        let wasHidden = isHidden
        if wasHidden {
            start = (textView.editor.selection, textView.editor.scrollAnchor)
            // In a view that is only read, the caret stays behind when it is scrolled.
            origin =
                textView.isEditable
                ? textView.selectedRange.lowerBound : textView.editor.scrollAnchor
        }
        isReplacing = replacing || (isReplacing && !wasHidden)
        replaceField.isHidden = !isReplacing
        isHidden = false
        didChangeLayout?()
        setNeedsLayout()
        if wasHidden, let selected = selectedWords, !isExpression { findField.text = selected }
        let goesToReplacement = replacing && !wasHidden && !findField.text.isEmpty
        (goesToReplacement ? replaceField : findField).becomeFirstResponder()
        findField.selectAll()
        if wasHidden, !findField.text.isEmpty { queryDidChange() }
    }

    /// The selected text, if it is short and in one line.
    private var selectedWords: String? {
        let range = textView.selectedRange
        guard !range.isEmpty, range.count <= 200 else { return nil }
        let words = textView.buffer.string(in: range)
        return words.contains(where: \.isNewline) ? nil : words
    }

    /// Closes the bar and removes the marks.
    ///
    /// - Parameter goingBack: Whether to restore the caret position.
    public func close(goingBack: Bool) {
        guard !isHidden else { return }
        finder.clear()
        if goingBack, let start {
            textView.show(start.selection, from: start.scrollAnchor)
        }
        start = nil
        isReplacing = false
        textView.becomeFirstResponder()
        isHidden = true
        didChangeLayout?()
    }

    /// Whether there is a query to repeat.
    public var hasQuery: Bool { !findField.text.isEmpty }

    /// Goes to another match; also works while the bar is closed.
    public func move(by step: Int) {
        guard hasQuery else { return }
        if finder.state == .idle {
            finder.find(query, from: nil)
        }
        finder.move(by: step)
        origin = textView.selectedRange.lowerBound
    }

    /// While the bar is closed, the last row shows the current match.
    private func finderDidChange() {
        setNeedsDisplay()
        guard isHidden, finder.state == .complete else { return }
        textView.application?.showMessage(status.text, for: .seconds(2))
    }

    /// Call it after each change of the text; while the bar is closed, the marks are removed.
    public func textDidChange() {
        guard finder.state != .idle else { return }
        if isHidden { finder.clear() } else { finder.textDidChange() }
    }

    /// Call it after the caret has moved: updates the current match.
    public func selectionDidChange() {
        if !isHidden { finder.selectionDidChange() }
    }

    // MARK: - The query

    private var query: TextQuery {
        TextQuery(findField.text, isRegularExpression: isExpression, caseRule: caseRule)
    }

    private func queryDidChange() {
        let query = query
        finder.find(query, from: query.isEmpty ? nil : origin)
        if query.isEmpty || finder.state == .complete && textView.matches.isEmpty, let start {
            textView.show(start.selection, from: start.scrollAnchor)
        }
    }

    private func toggleExpression() {
        isExpression.toggle()
        replaceField.placeholder = TextLine(
            isExpression ? localized("nothing; $1 is the first group") : localized("nothing"),
            .secondary)
        queryDidChange()
    }

    private func toggleCase() {
        let rules = TextSearch.CaseRule.allCases
        let index = rules.firstIndex(of: caseRule) ?? 0
        caseRule = rules[(index + 1) % rules.count]
        queryDidChange()
    }

    // MARK: - Keys

    public override var keyTable: KeyTable {
        KeyTable(localized("Find")) {
            if replaceField.isFirstResponder {
                KeyCommand.findEnter.performs(label: localized("replace")) {
                    self.whenComplete { $0.replaceCurrent() }
                }
            } else {
                KeyCommand.findEnter.performs { self.next(by: 1) }
            }
            KeyCommand.findEnterBack.performs { self.next(by: -1) }
            KeyCommand.findNext.performs { self.next(by: 1) }
            KeyCommand.findPrevious.performs { self.next(by: -1) }
            if isReplacing {
                KeyCommand.replaceAll.performs(unless: unlessReplaceable) {
                    self.whenComplete { $0.replaceAll() }
                }
            }
            KeyCommand.toggleExpression.performs(
                label: isExpression ? localized("text") : localized("regex")
            ) {
                self.toggleExpression()
            }
            KeyCommand.toggleCase.performs { self.toggleCase() }
            KeyCommand.leaveFind.performs(
                label: leadsToReplacement
                    ? localized("next")
                    : textView.isEditable ? localized("edit here") : localized("to the text")
            ) {
                self.leave()
            }
            KeyCommand.closeFind.performs { self.close(goingBack: true) }
        }
    }

    private var leadsToReplacement: Bool { isReplacing && findField.isFirstResponder }

    private func leave() {
        if leadsToReplacement {
            replaceField.becomeFirstResponder()
        } else {
            textView.becomeFirstResponder()
        }
    }

    private func next(by step: Int) {
        if case .failed(let error) = finder.state {
            application?.showMessage(localized("This cannot be searched for. \(error)"), .warning)
            return
        }
        move(by: step)
    }

    private var unlessReplaceable: String? {
        switch finder.state {
        case .replacing: localized("The replacement is not complete yet.")
        case .complete where textView.matches.count >= TextFinder.matchLimit:
            localized(
                "There are more than \(TextFinder.matchLimit) matches. Search for a more specific text."
            )
        case .searching: nil
        case .complete where !textView.matches.isEmpty: nil
        default: localized("There is nothing to replace.")
        }
    }

    /// Performs an action once the search is complete; not if the user types in the text by then.
    private func whenComplete(_ action: @escaping @MainActor (FindBar) -> Void) {
        finder.whenComplete { [weak self] in
            guard let self, findField.isFirstResponder || replaceField.isFirstResponder else {
                return
            }
            action(self)
        }
    }

    private func replaceCurrent() {
        if let reason = unlessReplaceable {
            application?.showMessage(reason, .warning)
            return
        }
        switch finder.replaceCurrent(with: replaceField.text) {
        case .replaced: start = nil
        case .selectedNext: break
        case .tooLong:
            application?.showMessage(
                localized(
                    "This match cannot be replaced by an expression: it is too long, or looks too "
                        + "far back."), .warning)
        }
    }

    private func replaceAll() {
        if let reason = unlessReplaceable {
            application?.showMessage(reason, .warning)
            return
        }
        start = nil
        finder.replaceAll(with: replaceField.text) { [weak self] count, left in
            guard left == 0 else {
                self?.application?.showMessage(
                    localized(
                        "Replaced: \(count). Too long, or looking too far back, to be replaced: \(left)."
                    ),
                    .warning)
                return
            }
            let words = count == 1 ? localized("1 match was") : localized("\(count) matches were")
            self?.application?.showMessage(
                localized("\(words) replaced. ^Z in the text takes it back."), .success)
        }
    }

    // MARK: - Drawing

    /// The state of the search, e.g. `3 of 17`.
    var status: (text: String, role: Role) {
        let count = textView.matches.count
        switch finder.state {
        case .idle: return ("", .secondary)
        case .searching, .replacing: return ("…", .secondary)
        case .failed(let error) where error.code == .tooComplex:
            return (localized("too complex"), .warning)
        case .failed: return (localized("not valid"), .warning)
        case .complete where count == 0: return (localized("no match"), .warning)
        case .complete:
            let total = count >= TextFinder.matchLimit ? "\(count)+" : "\(count)"
            if let current = finder.current {
                return (localized("\(current + 1) of \(total)"), .text)
            }
            return (count == 1 ? localized("1 match") : localized("\(total) matches"), .text)
        }
    }

    private var labelWidth: Int { bounds.width >= 32 ? (isReplacing ? 8 : 5) : 0 }
    private var togglesWidth: Int { bounds.width >= 40 ? 9 : 0 }
    private var statusWidth: Int {
        switch bounds.width {
        case 60...: 19
        case 48...: 14
        case 32...: 12
        default: 9
        }
    }

    public override func layoutSubviews() {
        let x = labelWidth
        let right = togglesWidth + statusWidth
        let width = max(1, bounds.width - x - right)
        findField.frame = Rect(x: x, y: 0, width: width, height: min(1, bounds.height))
        replaceField.frame = Rect(
            x: x, y: 1, width: width, height: max(0, min(1, bounds.height - 1)))
    }

    public override func draw(on surface: Surface) {
        surface.fill(bounds)
        if labelWidth > 0 {
            surface.draw(localized("Find"), at: .zero, role: .secondary)
            if isReplacing, bounds.height > 1 {
                surface.draw(localized("Replace"), at: Point(x: 0, y: 1), role: .secondary)
            }
        }
        var x = findField.frame.maxX
        if togglesWidth > 0 {
            surface.draw(
                isExpression ? "[.*]" : " .* ", at: Point(x: x, y: 0), role: role(isExpression))
            let words =
                switch caseRule {
                case .smart: " Aa "
                case .exact: "[Aa]"
                case .ignored: "[aa]"
                }
            surface.draw(words, at: Point(x: x + 4, y: 0), role: role(caseRule != .smart))
            x += togglesWidth
        }
        let status = status
        surface.draw(
            TextLine(status.text, status.role),
            in: Rect(x: x + 1, y: 0, width: max(0, bounds.width - x - 1), height: 1),
            alignment: .trailing)
    }

    private func role(_ isOn: Bool) -> Role { isOn ? .accent : .secondary }

    public override func mouse(_ event: MouseEvent) -> Bool {
        guard event.action == .press, event.button == .left, event.location.y == 0 else {
            return false
        }
        let x = event.location.x - findField.frame.maxX
        guard togglesWidth > 0, (0..<8).contains(x) else { return false }
        if x < 4 { toggleExpression() } else { toggleCase() }
        return true
    }
}
