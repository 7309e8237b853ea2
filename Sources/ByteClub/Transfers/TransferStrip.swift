internal import ClubAccess
internal import ClubLibrary
internal import FoundationEssentials
internal import Messages
internal import TerminalUI

/// The row at the bottom of both tabs while something moves: how much, which, how far, how fast.
final class TransferStrip: View {
    /// What moves, or will without being asked.
    var items: [TransferItem] = [] {
        didSet { if items != oldValue { setNeedsDisplay() } }
    }

    private let showTransfers: () -> Void

    /// - Parameter showTransfers: A click does what the key does that is named here.
    init(showTransfers: @escaping () -> Void) {
        self.showTransfers = showTransfers
        super.init()
    }

    override func draw(on surface: Surface) {
        let bindings = application?.configuration.bindings ?? KeyBindings()
        let hint = bindings.keys(for: .showTransfers).first.map { key in
            TextLine(key.displayName, .key) + TextLine(localized(" transfers"), .keyLabel)
        }
        let line = Self.line(items, columns: bounds.width - 2, hint: hint)
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
    /// `↑ 2  sea.jpg  ━━━━━───── 45 % · 3.1 MB/s · 5 s left   w transfers`; where there is no room, the
    /// name is shortened first, then the right end goes.
    static func line(_ items: [TransferItem], columns: Int, hint: TextLine?) -> TextLine {
        guard let shown = items.first(where: { $0.state != .waiting }) ?? items.first else {
            return ""
        }
        let arrows = Set(items.map(\.arrow)).sorted().joined()
        let start = TextLine(items.count > 1 ? "\(arrows) \(items.count)  " : "\(arrows) ", .accent)
        var parts = Parts(items, shown)
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

    private static let leastNameWidth = 12

    private static func shortened(_ name: String, to columns: Int) -> String {
        guard Surface.columnCount(of: name) > columns else { return name }
        var start = name[...]
        while !start.isEmpty, Surface.columnCount(of: start) > columns - 1 { start.removeLast() }
        return start + "…"
    }

    /// What is said about how far it is, the most important first.
    private struct Parts {
        private var words: [String]
        private let fraction: Double?
        private var showsBar = true

        enum Dropped { case part, nothingLeft }

        init(_ items: [TransferItem], _ shown: TransferItem) {
            // Sizes are a server's: their sum may be larger than any integer.
            let total = items.reduce(0) { $0 + Double($1.status.totalByteCount) }
            let moved = items.reduce(0) { $0 + Double($1.status.byteCount) }
            let speed = items.reduce(0) { $0 + ($1.status.bytesPerSecond ?? 0) }
            fraction = total > 0 ? max(0, min(1, moved / total)) : nil
            let percent = AppCoordinator.percent(of: items).map { "\($0) %" }
            words = [percent ?? shown.stateWord]
            guard percent != nil, shown.state == .running, !shown.isConfirming else {
                if percent != nil { words.append(shown.stateWord) }
                return
            }
            guard speed > 0 else { return }
            words.append(Wording.speed(speed))
            words.append(Wording.timeLeft(.seconds(max(0, min((total - moved) / speed, 1e9)))))
        }

        mutating func dropLast() -> Dropped {
            if words.count > 1 {
                words.removeLast()
            } else if showsBar {
                showsBar = false
            } else {
                return .nothingLeft
            }
            return .part
        }

        var line: TextLine {
            let text = TextLine(words.joined(separator: " · "), .secondary)
            guard showsBar, let fraction else { return text }
            let width = 12
            let full = min(width, Int(fraction * Double(width)))
            return TextLine(String(repeating: "━", count: full), .accent)
                + TextLine(String(repeating: "─", count: width - full), .secondary) + " " + text
        }
    }
}
