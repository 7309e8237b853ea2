import Testing

@testable import TerminalUI

/// What is asked of a terminal, and what is made of its answers.
@Suite struct TerminalProbeTests {
    private let start = ContinuousClock.now
    private let cell = CellPixels(width: 10, height: 20)

    private func probe(
        _ replies: [TerminalReply], type: String = "xterm-256color"
    ) -> (probe: TerminalProbe, asked: String) {
        var probe = TerminalProbe(type: type)
        var asked = probe.begin(at: start)
        for reply in replies { asked += probe.receive(reply, at: start) }
        return (probe, String(decoding: asked, as: UTF8.self))
    }

    private func format(
        _ replies: [TerminalReply], _ setting: PictureSetting = .auto,
        depth: ColorDepth = .direct, programs: [String] = [], hasCell: Bool = true
    ) -> PictureProtocol {
        probe(replies).probe.answers.pictures(
            setting, depth: depth, showsUnicode: true, cellPixels: hasCell ? cell : nil,
            programs: programs
        ).format
    }

    private static let kitty: [TerminalReply] = [
        .version("kitty(0.32.2)"), .attributes([62]), .graphics(id: 31, isOK: true),
        .attributes([62]),
    ]
    private static let foot: [TerminalReply] = [
        .version("foot(1.16.2)"), .attributes([62, 4, 22]), .attributes([62, 4, 22]),
    ]

    @Test func theBestThatATerminalSaysItCanIsTaken() {
        #expect(format(Self.kitty) == .kitty)
        #expect(format(Self.foot) == .sixel)
        #expect(format([.version("iTerm2 3.5.0"), .attributes([62, 4])]) == .iterm)
        #expect(
            format([
                .version("WezTerm 20240203"), .attributes([65, 4]), .graphics(id: 31, isOK: true),
            ])
                == .iterm)
        #expect(format([], programs: ["iTerm2"]) == .iterm)
        #expect(
            format([.version("tmux 3.4"), .attributes([1, 2, 4]), .graphics(id: 31, isOK: true)])
                == .kitty)
        #expect(format([.version("tmux 3.4"), .attributes([1, 2, 4])]) == .sixel)
        #expect(format([.version("VTE(7400)"), .attributes([65, 1, 9])]) == .blocks)
        #expect(format([]) == .blocks)
        // How large a sixel is, nobody knows without the size of a cell.
        #expect(format(Self.foot, hasCell: false) == .blocks)
    }

    @Test func theSettingGoesBeforeTheAnswers() {
        for setting in PictureSetting.allCases where setting != .auto {
            #expect(format(Self.kitty, setting).rawValue == setting.rawValue)
            #expect(format([], setting).rawValue == setting.rawValue)
            #expect(format(Self.kitty, setting, depth: .monochrome) == .blocks)
        }
    }

    @Test func whoAnswersLikeATerminalOfTodayIsAskedTheRest() {
        #expect(probe([]).asked == "\u{1B}[>q\u{1B}[16t\u{1B}[14t\u{1B}[c")
        let more = probe([.attributes([62])]).asked
        #expect(more.contains("\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"))
        #expect(more.contains("\u{1B}P+q524742;5463\u{1B}\\"))
        #expect(more.contains("\u{1B}]11;?\u{1B}\\"))
        #expect(more.hasSuffix("\u{1B}[c"))
        let wrapped = probe([.version("tmux 3.4"), .attributes([1, 2])]).asked
        #expect(wrapped.contains("\u{1B}]11;?\u{1B}\\"))
        #expect(
            wrapped.contains(
                "\u{1B}Ptmux;\u{1B}\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\u{1B}\\\u{1B}\\"))
    }

    @Test(arguments: ["linux", "vt100", "dumb", "ansi", "cons25"])
    func oldTerminalsAreAskedNothing(type: String) {
        #expect(probe([.attributes([62])], type: type).asked == "")
    }

    @Test func whatMightPrintControlStringsGetsNone() {
        for attributes in [[1, 2], [6], []] {
            let asked = probe([.attributes(attributes)]).asked
            #expect(!asked.contains("\u{1B}_") && !asked.contains("\u{1B}]"))
        }
        #expect(!probe([.attributes([62])], type: "screen-256color").asked.contains("\u{1B}_"))
    }

    @Test func anAnswerCountsHoweverLateItComesAndOnlyOnce() {
        var (probe, _) = probe([])
        #expect(probe.isWaiting(at: start))
        let late = start + .seconds(60)
        #expect(!probe.isWaiting(at: late))
        #expect(!probe.receive(.attributes([62, 4]), at: late).isEmpty)
        #expect(probe.answers.hasSixel)
        #expect(probe.receive(.graphics(id: 31, isOK: true), at: late).isEmpty)
        for _ in 0..<100 {
            #expect(probe.receive(.attributes([62, 4]), at: late).isEmpty)
            #expect(probe.receive(.version("kitty"), at: late).isEmpty)
        }
        #expect(!probe.isWaiting(at: late))
        #expect(probe.answers.hasKittyGraphics)
    }

    @Test(arguments: [
        ("rgb:0000/0000/0000", TerminalBackground.dark), ("rgb:1e/1e/1e", .dark),
        ("rgb:0/2/3", .dark), ("rgba:0000/0000/0000/8000", .dark), ("#000080", .dark),
        ("rgb:ffff/ffff/ffff", .light), ("rgb:fd/f6/e3", .light), ("#fff", .light),
        ("rgb:FDFD/F6F6/E3E3", .light),
    ])
    func theBackgroundIsRead(color: String, background: TerminalBackground) {
        #expect(TerminalBackground(color: color) == background)
        #expect(
            probe([.operatingSystem(code: 11, text: color)]).probe.answers.background == background)
    }

    @Test(arguments: [
        "", "?", "rgb:", "rgb:////", "rgb:00/00", "rgb:00/00/00/00", "rgba:00/00/00",
        "rgb:+1/-1/00",
        "rgb:00000/0/0", "rgb:gg/00/00", "hsl:0/0/0", "#", "#ff", "#fffffffffffff", "black",
        "rgb:8080/8080/8080", "rgb:ff/ff/ff;rgb:00/00/00", String(repeating: "f", count: 4000),
    ])
    func whatIsNoBackgroundChangesNothing(color: String) {
        let reply = TerminalReply.operatingSystem(code: 11, text: color)
        #expect(probe([reply]).probe.answers.background == nil)
        let light = TerminalReply.operatingSystem(code: 11, text: "rgb:ff/ff/ff")
        #expect(probe([light, reply]).probe.answers.background == .light)
        // The color of the text is not that of the ground.
        let text = TerminalReply.operatingSystem(code: 10, text: "rgb:00/00/00")
        #expect(probe([light, text]).probe.answers.background == .light)
    }

    @Test func anotherProgramsAnswerIsNotOurs() {
        #expect(!probe([.graphics(id: 30, isOK: true)]).probe.answers.hasKittyGraphics)
        #expect(!probe([.graphics(id: 31, isOK: false)]).probe.answers.hasKittyGraphics)
        var unasked = TerminalProbe(type: "xterm")
        #expect(unasked.receive(.attributes([62]), at: start).isEmpty)
    }

    @Test(arguments: [
        TerminalReply.capabilities(["RGB"]), .capabilities(["Tc"]), .style([48, 2, 1, 2, 3]),
        .style([0, 48, 2, 1, 2, 3]), .style([0, 48, 2, 1, 1, 2, 3]),
    ])
    func colorsOf24BitsAreTold(reply: TerminalReply) {
        #expect(probe([reply]).probe.answers.hasDirectColor)
    }

    @Test func nearestColorsAreNot24Bits() {
        for reply in [TerminalReply.style([48, 5, 16]), .style([]), .capabilities(["Co"])] {
            #expect(!probe([reply]).probe.answers.hasDirectColor)
        }
    }
}
