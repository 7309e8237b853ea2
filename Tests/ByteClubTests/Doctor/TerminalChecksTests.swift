import TerminalUI
import Testing

@testable import ByteClub
@testable import ClubAccess

/// Each part of a terminal's set-up broken in turn.
@MainActor @Suite struct TerminalChecksTests {
    private func facts(_ change: (inout TerminalFacts) -> Void = { _ in }) -> TerminalFacts {
        var facts = TerminalFacts()
        facts.type = "xterm-256color"
        facts.isKnown = true
        facts.canPlaceCursor = true
        facts.colorDepth = .direct
        facts.isUTF8 = true
        facts.isInteractive = true
        facts.size = Size(width: 80, height: 24)
        facts.library = "ncurses 6.4"
        change(&facts)
        return facts
    }

    @Test func aGoodTerminalIsFine() {
        let diagnostics = TerminalChecks.diagnostics(facts(), environment: [:])
        #expect(diagnostics.allSatisfy { $0.severity == .fine && $0.advice == nil })
        #expect(diagnostics.map(\.subject) == ["terminal", "characters", "colours", "clipboard"])
    }

    @Test func aTerminalWithoutATypeIsAProblem() {
        let diagnostic = TerminalChecks.terminal(facts { $0.type = "" })
        #expect(diagnostic.severity == .problem)
        #expect(diagnostic.advice?.contains("export TERM=") == true)
    }

    @Test func aTypeNobodyHasDescribedIsAProblem() {
        let diagnostic = TerminalChecks.terminal(
            facts {
                $0.type = "wyse-9000"
                $0.isKnown = false
            })
        #expect(diagnostic.severity == .problem)
        #expect(diagnostic.text.contains("“wyse-9000”"))
    }

    @Test func aTeletypeIsAProblem() {
        #expect(TerminalChecks.terminal(facts { $0.canPlaceCursor = false }).severity == .problem)
    }

    @Test(arguments: [Size(width: 19, height: 24), Size(width: 80, height: 5)])
    func aTerminalTooSmallIsAProblem(_ size: Size) {
        let diagnostic = TerminalChecks.terminal(facts { $0.size = size })
        #expect(diagnostic.severity == .problem)
        #expect(diagnostic.text.contains("\(size.width)×\(size.height)"))
    }

    @Test func aPipeIsNotMeasured() {
        let diagnostic = TerminalChecks.terminal(
            facts {
                $0.isInteractive = false
                $0.size = nil
            })
        #expect(diagnostic.severity == .notice)
    }

    @Test func anotherEncodingIsWorthANotice() {
        #expect(TerminalChecks.characters(facts { $0.isUTF8 = false }).severity == .notice)
    }

    @Test(arguments: [ColorDepth.palette, .sixteen, .eight, .monochrome])
    func fewColoursAreWorthANotice(_ depth: ColorDepth) {
        let diagnostic = TerminalChecks.colors(facts { $0.colorDepth = depth })
        #expect(diagnostic.severity == .notice)
        #expect(diagnostic.advice != nil)
    }

    @Test func noColoursAreFineForWhoeverAsksForNone() {
        let diagnostic = TerminalChecks.colors(
            facts {
                $0.colorDepth = .monochrome
                $0.wantsNoColor = true
            })
        #expect(diagnostic.severity == .fine)
    }

    @Test(arguments: [
        ["TERM": "linux"], ["TMUX": "/tmp/tmux-0/default,1,0"], ["STY": "1.pts-0"],
        ["VTE_VERSION": "7200"],
    ]) func terminalsThatKeepTheClipboardToThemselvesAreNamed(_ environment: [String: String]) {
        #expect(TerminalChecks.clipboard(environment).severity == .notice)
    }
}
