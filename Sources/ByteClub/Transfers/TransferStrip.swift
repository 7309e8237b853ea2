internal import ClubAccess
internal import ClubLibrary
internal import FoundationEssentials
internal import ByteClubMessages
internal import TerminalUI

/// The row at the bottom of both tabs during transfers: number, name, progress, rate; also failures, until
/// the list of transfers was viewed, and what is paused.
final class TransferStrip: View {
    var batch = TransferBatch([]) {
        didSet { if batch != oldValue { setNeedsDisplay() } }
    }

    /// Failures that were not viewed.
    var failures: [TransferItem] = [] {
        didSet { if failures != oldValue { setNeedsDisplay() } }
    }

    /// Nobody goes on with them but the user.
    var paused: [TransferItem] = [] {
        didSet { if paused != oldValue { setNeedsDisplay() } }
    }

    var isEmpty: Bool { batch.wanted.isEmpty && failures.isEmpty && paused.isEmpty }

    private let showTransfers: () -> Void

    /// - Parameter showTransfers: Called for a click, like the key shown here.
    init(showTransfers: @escaping () -> Void) {
        self.showTransfers = showTransfers
        super.init()
    }

    override func draw(on surface: Surface) {
        let bindings = application?.configuration.bindings ?? KeyBindings()
        let hint = bindings.keys(for: .showTransfers).first.map { key in
            TextLine(key.displayName, .key) + TextLine(localized(" transfers"), .keyLabel)
        }
        let line = Self.line(batch, failures, paused, columns: bounds.width - 2, hint: hint)
        surface.draw(line, at: Point(x: 1, y: 0), columns: bounds.width - 2)
    }

    override func mouse(_ event: MouseEvent) -> Bool {
        guard event.action == .press, event.button == .left else { return false }
        showTransfers()
        return true
    }
}

// MARK: - Words

extension TransferStrip {
    /// `↑ 2/5 sea.jpg ━━━━━───── 45 % · 1 failed · 3.1 MB/s · 5 s left  w transfers`; with less room, the name
    /// is shortened first, then the right end is cut.
    static func line(
        _ batch: TransferBatch, _ failures: [TransferItem] = [], _ paused: [TransferItem] = [],
        columns: Int, hint: TextLine?
    ) -> TextLine {
        let items = batch.wanted
        guard let shown = items.first(where: { $0.state != .waiting }) ?? items.first else {
            return failures.isEmpty
                ? restLine(paused, localized("\(paused.count) paused"), .secondary, columns, hint)
                : restLine(failures, failedWords(failures.count), .warning, columns, hint)
        }
        let start = TextLine(
            batch.place.map { "\(batch.arrows) \($0)  " } ?? "\(batch.arrows) ", .accent)
        var parts = Parts(batch, shown, failureCount: failures.count)
        var room = columns - start.columnCount - parts.line.columnCount - 2
        let hintWidth = hint.map { $0.columnCount + 3 } ?? 0
        while room < leastNameWidth, parts.dropLast() != .nothingLeft {
            room = columns - start.columnCount - parts.line.columnCount - 2
        }
        let showsHint = room - hintWidth >= leastNameWidth
        if showsHint { room -= hintWidth }
        var line = start
        if room >= 4 { line = line + TextLine(shortened(shown.shownName, to: room)) + "  " }
        line = line + parts.line
        if showsHint, let hint { line = line + "   " + hint }
        return line
    }

    /// `2 failed sea.jpg, alps.jpg  w transfers`, `1 paused …`; for a single failure, with its reason.
    private static func restLine(
        _ items: [TransferItem], _ words: String, _ role: Role, _ columns: Int, _ hint: TextLine?
    ) -> TextLine {
        guard let first = items.first else { return "" }
        let start = TextLine(words, role)
        let isFailure = items.count == 1 && first.state == .failed
        let reason = isFailure ? first.reason.map { ": " + $0 } ?? "" : ""
        let names = items.map { "\($0.arrow) \($0.shownName)" }.joined(separator: ", ") + reason
        let end = hint.map { "   " + $0 } ?? ""
        let room = columns - start.columnCount - 2 - end.columnCount
        guard room >= leastNameWidth else {
            let isRoom = start.columnCount + end.columnCount <= columns
            return isRoom ? start + end : start
        }
        return start + "  " + TextLine(shortened(names, to: room)) + end
    }

    nonisolated private static func failedWords(_ count: Int) -> String {
        localized("\(count) failed")
    }

    private static let leastNameWidth = 12

    private static func shortened(_ name: String, to columns: Int) -> String {
        guard Surface.columnCount(of: name) > columns else { return name }
        var start = name[...]
        while !start.isEmpty, Surface.columnCount(of: start) > columns - 1 { start.removeLast() }
        return start + "…"
    }

    /// The texts about the progress, most important first.
    private struct Parts {
        private var words: [TextLine]
        private let fraction: Double?
        private var showsBar = true
        /// The number of texts that have priority over the bar.
        private let leastCount: Int

        enum Dropped { case part, nothingLeft }

        init(_ batch: TransferBatch, _ shown: TransferItem, failureCount: Int) {
            let speed = batch.wanted.reduce(0) { $0 + ($1.status.bytesPerSecond ?? 0) }
            fraction = batch.fraction
            let percent = batch.percent.map { "\($0)%" }
            words = [TextLine(percent ?? shown.stateWord, .secondary)]
            leastCount = failureCount > 0 ? 2 : 1
            if failureCount > 0 { words.append(TextLine(failedWords(failureCount), .warning)) }
            guard percent != nil, shown.state == .running, !shown.isConfirming else {
                if percent != nil { words.append(TextLine(shown.stateWord, .secondary)) }
                return
            }
            guard speed > 0, let total = batch.byteCount else { return }
            words.append(TextLine(Wording.speed(speed), .secondary))
            let left = Duration.seconds(
                max(0, min((total - batch.movedByteCount) / speed, 1e9)))
            words.append(TextLine(Wording.timeLeft(left), .secondary))
        }

        mutating func dropLast() -> Dropped {
            if words.count > leastCount {
                words.removeLast()
            } else if showsBar {
                showsBar = false
            } else if words.count > 1 {
                words.removeLast()
            } else {
                return .nothingLeft
            }
            return .part
        }

        var line: TextLine {
            let text = words.dropFirst().reduce(words[0]) { $0 + TextLine(" · ", .secondary) + $1 }
            guard showsBar, let fraction else { return text }
            let width = 12
            let full = min(width, Int(fraction * Double(width)))
            return TextLine(String(repeating: "━", count: full), .accent)
                + TextLine(String(repeating: "─", count: width - full), .secondary) + " " + text
        }
    }
}
