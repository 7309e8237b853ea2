public import TextEditing

/// Searches a text view, marks the matches, and goes from match to match.
///
/// Short texts are searched synchronously. Long ones, and all with regular expressions, are searched off the
/// main actor, so that keys are never delayed; a new search cancels the pending one.
@MainActor
public final class TextFinder {
    /// The state of a search.
    public enum State: Hashable, Sendable {
        /// There is no query.
        case idle
        case searching
        /// All matches are being replaced.
        case replacing
        case complete
        case failed(TextSearchError)
    }

    /// The last query; empty before the first search, and kept by ``clear()``.
    public private(set) var query = TextQuery()
    /// The state of the search.
    public private(set) var state = State.idle
    /// The selected match, as an index in ``TextView/matches``.
    public private(set) var current: Int?
    /// Called after each change of the result.
    public var didChange: (@MainActor () -> Void)?

    private let textView: TextView
    private var task: Task<Void, Never>?
    /// The position from which the pending search selects its first match.
    private var origin: Int?
    /// Steps to make when the pending search is complete.
    private var pendingStep = 0
    /// Actions to perform then, each on the matches that the one before has left.
    private var pendingActions: [@MainActor () -> Void] = []

    /// The maximum number of matches.
    public nonisolated static let matchLimit = 1_000_000
    /// Texts up to this size are searched synchronously, in well under a millisecond.
    private static let immediateCount = 131_072

    /// A finder that selects matches in this view and sets its ``TextView/matches``.
    public init(_ textView: TextView) {
        self.textView = textView
    }

    /// Returns when the pending search is complete; for tests.
    func finish() async { await task?.value }

    // MARK: - Searching

    /// Searches for all matches.
    ///
    /// - Parameter origin: Selects the first match from there on; nil leaves the selection.
    public func find(_ query: TextQuery, from origin: Int?) {
        stopSearching()
        if query != self.query { pendingActions = [] }
        self.query = query
        self.origin = origin
        let search: TextSearch
        do throws(TextSearchError) {
            guard let made = try TextSearch(query) else { return show([], .idle) }
            search = made
        } catch {
            return show([], .failed(error))
        }
        let (text, textState) = (textView.buffer, textView.state)
        if !query.isRegularExpression, text.count <= Self.immediateCount {
            return end(with: Result { () throws(TextSearchError) in try search.matches(in: text) })
        }
        state = .searching
        didChange?()
        let application = textView.application
        application?.beginActivity()
        task = Task { [weak self] in
            defer { application?.endActivity() }
            if let origin, let first = await Self.first(search, in: text, from: origin) {
                guard !Task.isCancelled, let self else { return }
                if textView.state == textState { select(first) }
            }
            let result = await Self.all(search, in: text)
            guard !Task.isCancelled, let self else { return }
            // What was found is of no use in another text.
            guard textView.state == textState else {
                let step = pendingStep
                find(query, from: self.origin)
                pendingStep = state == .searching ? step : 0
                return
            }
            end(with: result)
        }
    }

    /// Searches again after the text has changed; the selection stays.
    public func textDidChange() {
        guard state != .idle else { return }
        find(query, from: nil)
    }

    /// Ends the search and removes the marks.
    public func clear() {
        stopSearching()
        pendingActions = []
        show([], .idle)
    }

    private func stopSearching() {
        task?.cancel()
        task = nil
        pendingStep = 0
    }

    @concurrent private nonisolated static func first(
        _ search: TextSearch, in text: TextBuffer, from origin: Int
    ) async -> Range<Int>? {
        let found = try? search.matches(
            in: text, beginningIn: origin..<Int.max, limit: 1, while: { !Task.isCancelled })
        return found?.first
    }

    @concurrent private nonisolated static func all(
        _ search: TextSearch, in text: TextBuffer
    ) async -> Result<[Range<Int>], TextSearchError> {
        Result { () throws(TextSearchError) in
            try search.matches(in: text, limit: matchLimit, while: { !Task.isCancelled })
        }
    }

    private func end(with result: Result<[Range<Int>], TextSearchError>) {
        task = nil
        switch result {
        case .failure(let error): show([], .failed(error))
        case .success(let matches):
            textView.matches = matches
            state = .complete
            if let origin, !matches.isEmpty {
                let next = Self.index(in: matches, atOrAfter: origin)
                select(matches[next == matches.count ? 0 : next])
            }
            origin = nil
            updateCurrent()
            let step = pendingStep
            pendingStep = 0
            if step != 0, !matches.isEmpty { move(by: step) } else { didChange?() }
        }
        performPending()
    }

    /// Performs an action now, or after the pending search: keys may be faster than a search. Dropped if the
    /// query changes before.
    func whenComplete(_ action: @escaping @MainActor () -> Void) {
        guard state == .searching else { return action() }
        pendingActions.append(action)
    }

    private func performPending() {
        guard state != .searching, !pendingActions.isEmpty else { return }
        pendingActions.removeFirst()()
        performPending()
    }

    private func show(_ matches: [Range<Int>], _ state: State) {
        textView.matches = matches
        self.state = state
        current = nil
        didChange?()
    }

    // MARK: - Going from match to match

    /// Selects the next match, or the previous one, wrapping around at the end of the text.
    public func move(by step: Int) {
        if state == .searching || state == .replacing {
            pendingStep += step
            return
        }
        let matches = textView.matches
        guard !matches.isEmpty else { return }
        updateCurrent()
        let index: Int
        if let current {
            index = current + step
        } else {
            let next = Self.index(in: matches, atOrAfter: textView.selectedRange.lowerBound)
            index = step > 0 ? next + step - 1 : next + step
        }
        let count = matches.count
        let target = ((index % count) + count) % count
        select(matches[target])
        current = target
        didChange?()
    }

    /// Updates whether the caret is on a match.
    public func selectionDidChange() {
        let before = current
        updateCurrent()
        if current != before { didChange?() }
    }

    private func updateCurrent() {
        let matches = textView.matches
        let selected = textView.selectedRange
        let index = Self.index(in: matches, atOrAfter: selected.lowerBound)
        current = index < matches.count && matches[index] == selected ? index : nil
    }

    private func select(_ match: Range<Int>) {
        textView.select(match)
        // A view that is only read does not follow its caret on its own.
        if !textView.isEditable { textView.scrollToCaret() }
    }

    static func index(in matches: [Range<Int>], atOrAfter offset: Int) -> Int {
        var (low, high) = (0, matches.count)
        while low < high {
            let middle = (low + high) / 2
            if matches[middle].lowerBound < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    // MARK: - Replacing

    /// Replaces the selected match and selects the next one.
    ///
    /// - Returns: Whether a match was selected; if not, the next one is selected now.
    @discardableResult
    public func replaceCurrent(with template: String) -> ReplaceOutcome {
        updateCurrent()
        guard let current, let search = try? TextSearch(query) else {
            move(by: 1)
            return .selectedNext
        }
        let match = textView.matches[current]
        guard let new = search.replacement(for: match, in: textView.buffer, template: template)
        else {
            move(by: 1)
            return .tooLong
        }
        textView.replace(match, with: new)
        // An empty match would be found at the same position again.
        find(query, from: match.lowerBound + new.count + (match.isEmpty ? 1 : 0))
        return .replaced
    }

    /// What ``replaceCurrent(with:)`` did.
    public enum ReplaceOutcome: Sendable {
        case replaced
        case selectedNext
        /// The match is too long to be replaced; the next one is selected.
        case tooLong
    }

    /// Replaces all matches as one undoable step.
    ///
    /// - Parameter done: Called when the text was changed, with how many were replaced, and how many were left
    ///   because they are too long.
    public func replaceAll(
        with template: String, done: @escaping @MainActor (_ count: Int, _ left: Int) -> Void
    ) {
        let matches = textView.matches
        guard state == .complete, !matches.isEmpty, let search = try? TextSearch(query) else {
            return
        }
        let text = textView.buffer
        if matches.count <= Self.immediateEditCount, !search.isSlowToReplace {
            let edits = matches.compactMap { match in
                search.replacement(for: match, in: text, template: template).map { (match, $0) }
            }
            textView.replaceAll(edits)
            find(query, from: nil)
            return done(edits.count, matches.count - edits.count)
        }
        let before = textView.state
        let application = textView.application
        application?.beginActivity()
        state = .replacing
        didChange?()
        task = Task { [weak self] in
            defer { application?.endActivity() }
            let replaced = await Self.replaced(matches, of: search, in: text, template)
            guard !Task.isCancelled, let self else { return }
            task = nil
            // The text has changed meanwhile.
            guard textView.state == before, let range = Self.hull(of: matches) else {
                return textDidChange()
            }
            textView.replace(range, with: replaced.text)
            find(query, from: nil)
            done(matches.count - replaced.left, replaced.left)
        }
    }

    /// More edits are combined off the main actor.
    private static let immediateEditCount = 500

    private nonisolated static func hull(of matches: [Range<Int>]) -> Range<Int>? {
        guard let first = matches.first, let last = matches.last else { return nil }
        return first.lowerBound..<last.upperBound
    }

    /// The text from the first to the last match with all of them replaced, and how many were left.
    @concurrent private nonisolated static func replaced(
        _ matches: [Range<Int>], of search: TextSearch, in text: TextBuffer, _ template: String
    ) async -> (text: TextBuffer, left: Int) {
        var builder = TextBuffer.Builder()
        var left = 0
        var place = matches.first?.lowerBound ?? 0
        for match in matches {
            if Task.isCancelled { break }
            text.forEachSpan(in: place..<match.lowerBound) {
                builder.append($0)
                return true
            }
            guard let new = search.replacement(for: match, in: text, template: template) else {
                left += 1
                place = match.lowerBound
                continue
            }
            builder.append(new.bytes(in: 0..<new.count))
            place = match.upperBound
        }
        if let last = matches.last, place < last.upperBound {
            text.forEachSpan(in: place..<last.upperBound) {
                builder.append($0)
                return true
            }
        }
        return (builder.finish(), left)
    }
}
