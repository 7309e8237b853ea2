import Testing

@testable import TerminalUI

/// Whether what the themes draw can be read.
@Suite struct ThemeTests {
    /// From 1 to 21, as WCAG 2 defines it.
    private func contrast(
        _ one: Color, _ other: Color, ground: (UInt8, UInt8, UInt8), text: (UInt8, UInt8, UInt8)
    ) -> Double {
        func luminance(_ color: Color, _ own: (UInt8, UInt8, UInt8)) -> Double {
            let (red, green, blue): (UInt8, UInt8, UInt8)
            switch color.kind {
            case .default: (red, green, blue) = own
            case .rgb(let r, let g, let b): (red, green, blue) = (r, g, b)
            case .palette(let index) where index >= 232:
                let gray = 8 + (index - 232) * 10
                (red, green, blue) = (gray, gray, gray)
            case .palette(let index):
                precondition(index >= 16, "the sixteen colors are the terminal's own")
                let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
                let cube = Int(index) - 16
                (red, green, blue) = (levels[cube / 36], levels[cube / 6 % 6], levels[cube % 6])
            }
            func part(_ value: UInt8) -> Double {
                let share = Double(value) / 255
                guard share > 0.04045 else { return share / 12.92 }
                // The 2.4th power, by the 12th power's fifth root.
                var root = 1.0
                let base = (share + 0.055) / 1.055
                let wanted = (0..<12).reduce(1.0) { power, _ in power * base }
                for _ in 0..<200 {
                    root -=
                        (root * root * root * root * root - wanted)
                        / (5 * root * root * root * root)
                }
                return root
            }
            return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue)
        }
        let (a, b) = (luminance(one, text), luminance(other, ground))
        return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }

    private static let grounds: [Theme.Scheme: [(UInt8, UInt8, UInt8)]] = [
        .dark: [(0, 0, 0), (30, 30, 30)], .light: [(255, 255, 255), (250, 248, 240)],
        .highContrast: [(0, 0, 0), (255, 255, 255)],
    ]

    @Test(arguments: [Theme.Scheme.dark, .light, .highContrast])
    func everyRoleCanBeRead(scheme: Theme.Scheme) throws {
        let theme = Theme(depth: .palette, scheme: scheme)
        for ground in try #require(Self.grounds[scheme]) {
            let isDark = ground.0 < 128
            let text: (UInt8, UInt8, UInt8) = isDark ? (229, 229, 229) : (0, 0, 0)
            for role in Role.allCases {
                let style = theme[role]
                let ratio = contrast(style.foreground, style.background, ground: ground, text: text)
                // What can be left unread may be fainter, in a high contrast nothing is.
                let isFaint = [.disabled, .backdrop, .border, .progressTrack].contains(role)
                let least = scheme == .highContrast ? 7 : isFaint ? 3 : 4.5
                #expect(ratio >= least, "\(role.rawValue) of \(scheme.rawValue): \(ratio)")
            }
        }
    }

    @Test(arguments: [ColorDepth.monochrome, .eight, .sixteen, .palette, .direct])
    func monoHasNoColors(depth: ColorDepth) {
        let theme = Theme(
            depth: depth, scheme: .mono, choices: [.heading: Style(foreground: .palette(1), .bold)])
        for role in Role.allCases {
            #expect(theme[role].foreground == .default && theme[role].background == .default)
        }
        #expect(theme[.heading].attributes == .bold)
    }

    @Test(arguments: Theme.Scheme.allCases, [ColorDepth.monochrome, .eight, .sixteen])
    func usesOnlyColorsThatAreThere(scheme: Theme.Scheme, depth: ColorDepth) {
        let theme = Theme(depth: depth, scheme: scheme)
        for role in Role.allCases {
            for color in [theme[role].foreground, theme[role].background] {
                guard case .palette(let index) = color.kind else { continue }
                #expect(Int(index) < max(1, depth.rawValue), "\(role.rawValue): \(index)")
            }
        }
    }

    @Test(arguments: Theme.Scheme.allCases)
    func theSelectionIsNotAnotherRow(scheme: Theme.Scheme) {
        for depth in [ColorDepth.monochrome, .eight, .sixteen, .palette] {
            let theme = Theme(depth: depth, scheme: scheme)
            #expect(theme[.selection] != theme[.text])
            #expect(theme[.selection] != theme[.inactiveSelection])
            #expect(theme[.activeTab] != theme[.inactiveTab])
            #expect(theme[.focusedButton] != theme[.button])
        }
    }
}

/// `auto` on terminals that say what their background is, and on others.
@MainActor @Suite struct BackgroundTests {
    private func reply(_ color: String) -> InputEvent {
        .reply(.operatingSystem(code: 11, text: color))
    }

    @Test func autoFollowsTheBackgroundWhenTheTerminalSaysIt() throws {
        let harness = try Harness(WordsController(["one", "two"]))
        func looks(_ scheme: Theme.Scheme) -> Bool {
            let theme = Theme(depth: .palette, scheme: scheme)
            return Role.allCases.allSatisfy { harness.application.surface.theme[$0] == theme[$0] }
        }
        let (text, frames) = (harness.screen.text, harness.screen.frameCount)
        #expect(looks(.automatic))
        harness.application.handle(reply("rgb:0000/0000/0000"))
        harness.settle()
        #expect(looks(.dark))
        // Words and their places stay: one frame, of other colors.
        #expect(harness.screen.text == text)
        #expect(harness.screen.frameCount == frames + 1)
        // Late, twice, and rubbish.
        for color in ["rgb:0000/0000/0000", "rubbish", "", "rgb:7f/7f/7f"] {
            harness.application.handle(reply(color))
            harness.settle()
            #expect(looks(.dark))
        }
        #expect(harness.screen.frameCount == frames + 1)
        harness.application.handle(reply("rgb:ffff/ffff/ffff"))
        harness.settle()
        #expect(looks(.light))
    }

    @Test(arguments: Theme.Scheme.allCases.filter { $0 != .automatic })
    func aChosenThemeStays(scheme: Theme.Scheme) throws {
        let harness = try Harness(WordsController(["one"]))
        harness.application.configuration.scheme = scheme
        harness.application.adoptTheme()
        harness.application.handle(reply("rgb:ffff/ffff/ffff"))
        harness.settle()
        let theme = Theme(depth: .palette, scheme: scheme)
        for role in Role.allCases {
            #expect(harness.application.surface.theme[role] == theme[role])
        }
    }

    @Test func aPlainScreenStaysWithoutColors() throws {
        let harness = try Harness(WordsController(["one"]))
        harness.application.configuration.isPlain = true
        harness.application.adoptTheme()
        harness.application.handle(reply("rgb:ffff/ffff/ffff"))
        harness.settle()
        #expect(harness.application.surface.theme[.selection].foreground == .default)
        #expect(harness.application.surface.theme[.selection].background == .default)
    }
}

/// The screen that is read aloud, and hints that leave the keys in sight.
@MainActor @Suite struct PlainScreenTests {
    @Test func hintsStandAboveTheKeysUntilTheirTimeIsOver() throws {
        let harness = try Harness(ViewController(), width: 40, height: 8)
        let keys = harness.footer
        harness.application.showHint(
            [String(repeating: "long ", count: 20), "A short hint"], for: .seconds(60))
        harness.settle()
        #expect(harness.lines[6].contains("A short hint"))
        #expect(harness.footer == keys)
        // What lies above the lists has no room for it.
        harness.application.present(AlertController(title: "Title", message: "Message"))
        harness.settle()
        #expect(!harness.lines.joined().contains("A short hint"))
        harness.press("Esc")
        #expect(harness.lines[6].contains("A short hint"))
        harness.scheduler.advance(by: .seconds(60))
        #expect(!harness.lines.joined().contains("A short hint"))
    }

    @Test func showsOneThingAtATimeWithoutLines() throws {
        let root = ViewController()
        let panel = Panel("Title", content: Label("Inside"))
        let harness = try Harness(root, width: 40, height: 8)
        root.view.addSubview(panel)
        panel.frame = Rect(x: 0, y: 0, width: 40, height: 5)
        harness.application.configuration.isPlain = true
        harness.application.adoptTheme()
        harness.settle()
        #expect(harness.lines[0].drop { $0 == " " }.hasPrefix("Title"))
        #expect(harness.lines[1].contains("Inside"))
        #expect(!harness.lines.joined().contains("│"))
        harness.application.present(AlertController(title: "Question", message: "Message"))
        harness.settle()
        #expect(harness.lines.joined().contains("Question"))
        #expect(!harness.lines.joined().contains("Inside"))
        #expect(harness.screen.cursor != nil)
    }
}
