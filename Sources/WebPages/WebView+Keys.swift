import ByteClubMessages
public import TerminalUI
import WebText

extension WebView {
    func makeKeyTable() -> KeyTable {
        KeyTable(localized("Page")) {
            KeyCommand.followLink.performs(
                unless: chosenLink == nil
                    ? localized("No link is chosen. Press Tab, or type the number of one.") : nil
            ) { self.follow() }
            let unlessLinks =
                layout?.linkLines.isEmpty != false ? localized("This page has no links.") : nil
            KeyCommand.nextLink.performs(unless: unlessLinks) { self.moveLink(by: 1) }
            KeyCommand.previousLink.performs(unless: unlessLinks) { self.moveLink(by: -1) }
            KeyCommand.findInPage.performs { self.beginFinding() }
            if finding.isShown {
                KeyCommand.nextFound.performs { self.moveFound(by: 1) }
                KeyCommand.previousFound.performs { self.moveFound(by: -1) }
            }
            if finding.isShown || !findField.isHidden {
                KeyCommand.endFind.performs { self.endFinding() }
            }
            if !typedNumber.isEmpty {
                KeyCommand.dropNumber.performs { self.type("") }
                KeyCommand.shortenNumber.performs {
                    self.type(String(self.typedNumber.dropLast()))
                }
            }
            let page = max(1, pageHeight - 1)
            KeyCommand.pageLineDown.performs { self.scroll(toLine: self.firstLine + 1) }
            KeyCommand.pageLineUp.performs { self.scroll(toLine: self.firstLine - 1) }
            KeyCommand.pageForward.performs { self.scroll(toLine: self.firstLine + page) }
            KeyCommand.pageBackward.performs { self.scroll(toLine: self.firstLine - page) }
            KeyCommand.halfPageDown.performs { self.scroll(toLine: self.firstLine + page / 2) }
            KeyCommand.halfPageUp.performs { self.scroll(toLine: self.firstLine - page / 2) }
            KeyCommand.pageStart.performs { self.scroll(toLine: 0) }
            KeyCommand.pageEnd.performs { self.scroll(toLine: .max / 2) }
        }
    }

    enum DigitResult {
        case taken, notADigit
    }

    /// Digits select a link by its number.
    func takeDigit(_ press: KeyPress) -> DigitResult {
        guard let text = press.text, text.utf8.count == 1, let digit = text.utf8.first,
            (0x30...0x39).contains(digit)
        else { return .notADigit }
        if typedNumber.utf8.count < 9 { type(typedNumber + text) }
        return .taken
    }

    private func isLink(_ number: String) -> Bool {
        guard let count = layout?.linkLines.count, let number = Int(number) else { return false }
        return number >= 1 && number <= count
    }

    private func type(_ number: String) {
        typedNumber = number
        if number.isEmpty {
            chosenLink = nil
        } else if isLink(number), let number = Int(number) {
            choose(number - 1)
        } else {
            // Do not follow another link than intended: further digits belong to the number.
            chosenLink = nil
            application?.showMessage(
                localized("There is no link \(number) on this page. Esc forgets the number."),
                .warning)
        }
        setNeedsDisplay()
        delegate?.webViewDidMove(self)
    }

    private func choose(_ link: Int) {
        chosenLink = link
        if let lines = layout?.linkLines[link], !lines.isEmpty { reveal(line: lines.lowerBound) }
    }

    private func follow() {
        guard let chosenLink else { return }
        typedNumber = ""
        delegate?.webView(self, didFollowLink: chosenLink)
    }

    /// From the chosen link, or from the visible lines.
    private func moveLink(by step: Int) {
        guard let lines = layout?.linkLines, !lines.isEmpty else { return }
        typedNumber = ""
        let seen = firstLine..<(firstLine + pageHeight)
        let isSeen: (Int) -> Bool = { !lines[$0].isEmpty && lines[$0].overlaps(seen) }
        if let chosenLink, isSeen(chosenLink) {
            choose((chosenLink + step + lines.count) % lines.count)
        } else {
            let visible = lines.indices.filter(isSeen)
            let next = lines.indices.first { lines[$0].lowerBound >= firstLine } ?? 0
            choose((step > 0 ? visible.first : visible.last) ?? next)
        }
        setNeedsDisplay()
        delegate?.webViewDidMove(self)
    }
}

extension KeyCommand {
    /// The key commands of a page.
    public static let pageCommands: [KeyCommand] = [
        .followLink, .nextLink, .previousLink, .findInPage, .nextFound, .previousFound,
        .pageLineDown, .pageLineUp, .pageForward, .pageBackward, .pageStart, .pageEnd, .goBack,
        .goForward, .reloadPage, .togglePictures, .stopLoading, .leavePage, .halfPageDown,
        .halfPageUp,
    ]

    static let followLink = KeyCommand(
        "web.follow", keys: ["Enter"],
        title: localized("Follow the chosen link, or the one with a typed number"),
        label: localized("follow"), weight: 90)
    static let nextLink = KeyCommand(
        "web.next-link", keys: ["Tab"], title: localized("Next link"), label: localized("links"),
        weight: 85)
    static let previousLink = KeyCommand(
        "web.previous-link", keys: ["S-Tab"], title: localized("Previous link"))
    static let shortenNumber = KeyCommand(
        "web.shorten-number", keys: ["Backspace"], title: localized("Take back the last digit"))
    static let dropNumber = KeyCommand(
        "web.drop-number", keys: ["Esc"], title: localized("Forget the typed number"),
        label: localized("no link"),
        weight: 97)
    static let findInPage = KeyCommand(
        "web.find", keys: ["/", "^F"], title: localized("Find in the page"),
        label: localized("find"), weight: 60)
    static let nextFound = KeyCommand(
        "web.next-match", keys: ["n"], title: localized("Next match"), label: localized("next"),
        weight: 92)
    static let previousFound = KeyCommand(
        "web.previous-match", keys: ["N"], title: localized("Previous match"))
    static let endFind = KeyCommand(
        "web.end-find", keys: ["Esc"], title: localized("Stop finding"),
        label: localized("end find"), weight: 96)
    static let pageLineDown = KeyCommand(
        "web.down", keys: ["j", "Down"], title: localized("Line down"))
    static let pageLineUp = KeyCommand("web.up", keys: ["k", "Up"], title: localized("Line up"))
    static let pageForward = KeyCommand(
        "web.page-down", keys: ["Space", "PgDn"], title: localized("Page down"),
        label: localized("page"), weight: 50)
    static let pageBackward = KeyCommand(
        "web.page-up", keys: ["b", "PgUp"], title: localized("Page up"))
    static let pageStart = KeyCommand(
        "web.start", keys: ["g g", "Home"], title: localized("To the top"))
    static let pageEnd = KeyCommand("web.end", keys: ["G", "End"], title: localized("To the end"))
}
