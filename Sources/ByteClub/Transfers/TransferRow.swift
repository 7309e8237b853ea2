internal import ClubAccess
internal import ClubLibrary
internal import FoundationEssentials
internal import TerminalUI
internal import TextEditing

/// A transfer as the list of transfers shows it.
struct TransferRow {
    let item: TransferItem

    /// The maximum number of rows for a reason: its end says what to do next.
    static let reasonLimit = 3

    var showsBar: Bool {
        item.status.totalByteCount > 0 && [.running, .paused].contains(item.state)
    }

    /// With fewer columns, neither the column of the state nor much beside the bar has room.
    private static let wideColumnCount = 40

    /// What is below the name: how far it is, or why it does not run.
    func details(columns: Int) -> [TextLine] {
        let words = words(at: Date())
        let role: Role = item.state == .failed ? .warning : .secondary
        func lines(_ words: String) -> [TextLine] {
            TextLine(name: words, role).wrapped(columns: max(10, columns - 2))
        }
        guard !showsBar else {
            guard columns < Self.wideColumnCount else {
                return [Self.bar(item.fraction) + TextLine("  " + words, role)]
            }
            return [narrowLine(columns: columns - 2, role)] + lines(words)
        }
        let whole = lines(words)
        // Where there is no room for what to do next, what is wrong is said in a few words.
        guard whole.count > Self.reasonLimit, item.state == .failed, let brief = item.briefReason
        else { return whole }
        return lines(brief)
    }

    /// - Parameter height: The height of all rows.
    func listRow(columns: Int, height: Int) -> ListRow {
        ListRow(
            TextLine("\(item.arrow) \(item.shownName)"),
            details: Array(details(columns: columns).prefix(height - 1)),
            columns: [ListRow.Column(item.stateWord, width: 10)])
    }

    /// The same text as in the shell, except for the home folder, which is `~`.
    private func words(at now: Date) -> String {
        guard item.state == .done, item.order.direction == .download else {
            return item.words(at: now)
        }
        return "\(TypedPath.shown(item.order.file)) · \(Wording.byteCount(item.status.byteCount))"
    }

    /// `━━━──── 45% paused`: a bar in what the words leave.
    private func narrowLine(columns: Int, _ role: Role) -> TextLine {
        // 100 only when it is confirmed.
        let words = "\(min(99, Int(item.fraction * 100)))% \(item.stateWord)"
        let width = columns - CellWidth.of(words) - 1
        guard width > 2 else { return TextLine(words, role) }
        return Self.bar(item.fraction, width: min(width, 16)) + TextLine(" " + words, role)
    }

    /// Heavy for the completed part, light for the rest, so that it is visible without color.
    private static func bar(_ fraction: Double, width: Int = 16) -> TextLine {
        let full = max(0, min(width, Int(fraction * Double(width))))
        return TextLine(String(repeating: "━", count: full), .accent)
            + TextLine(String(repeating: "─", count: width - full), .secondary)
    }
}
