import TerminalUI
import Testing

@testable import ByteClub

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
        let findings = TerminalChecks.findings(facts(), environment: [:])
        #expect(findings.allSatisfy { $0.verdict == .fine && $0.advice == nil })
        #expect(findings.map(\.subject) == ["terminal", "characters", "colours", "clipboard"])
    }

    @Test func aTerminalWithoutATypeIsAProblem() {
        let finding = TerminalChecks.terminal(facts { $0.type = "" })
        #expect(finding.verdict == .problem)
        #expect(finding.advice?.contains("export TERM=") == true)
    }

    @Test func aTypeNobodyHasDescribedIsAProblem() {
        let finding = TerminalChecks.terminal(
            facts {
                $0.type = "wyse-9000"
                $0.isKnown = false
            })
        #expect(finding.verdict == .problem)
        #expect(finding.text.contains("“wyse-9000”"))
    }

    @Test func aTeletypeIsAProblem() {
        #expect(TerminalChecks.terminal(facts { $0.canPlaceCursor = false }).verdict == .problem)
    }

    @Test(arguments: [Size(width: 19, height: 24), Size(width: 80, height: 5)])
    func aTerminalTooSmallIsAProblem(_ size: Size) {
        let finding = TerminalChecks.terminal(facts { $0.size = size })
        #expect(finding.verdict == .problem)
        #expect(finding.text.contains("\(size.width)×\(size.height)"))
    }

    @Test func aPipeIsNotMeasured() {
        let finding = TerminalChecks.terminal(
            facts {
                $0.isInteractive = false
                $0.size = nil
            })
        #expect(finding.verdict == .notice)
    }

    @Test func anotherEncodingIsWorthANotice() {
        #expect(TerminalChecks.characters(facts { $0.isUTF8 = false }).verdict == .notice)
    }

    @Test(arguments: [ColorDepth.palette, .sixteen, .eight, .monochrome])
    func fewColoursAreWorthANotice(_ depth: ColorDepth) {
        let finding = TerminalChecks.colors(facts { $0.colorDepth = depth })
        #expect(finding.verdict == .notice)
        #expect(finding.advice != nil)
    }

    @Test func noColoursAreFineForWhoeverAsksForNone() {
        let finding = TerminalChecks.colors(
            facts {
                $0.colorDepth = .monochrome
                $0.wantsNoColor = true
            })
        #expect(finding.verdict == .fine)
    }

    @Test(arguments: [
        ["TERM": "linux"], ["TMUX": "/tmp/tmux-0/default,1,0"], ["STY": "1.pts-0"],
        ["VTE_VERSION": "7200"],
    ]) func terminalsThatKeepTheClipboardToThemselvesAreNamed(_ environment: [String: String]) {
        #expect(TerminalChecks.clipboard(environment).verdict == .notice)
    }
}
