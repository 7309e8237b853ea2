extension TerminalScreen {
    /// The screen as an SVG, in its real colors.
    ///
    /// Block elements and box lines are drawn as shapes, so that no gap shows between cells. Every
    /// character is placed at its column, whatever font the viewer has.
    public func svg(theme: TerminalTheme = .dark, title: String? = nil) -> String {
        SVGPicture(screen: self, theme: theme).text(title: title)
    }
}

/// A terminal's color theme.
public struct TerminalTheme: Sendable {
    public var foreground: String
    public var background: String
    /// The sixteen colors.
    public var palette: [String]

    public static let dark = TerminalTheme(
        foreground: "#d8dee9", background: "#14171c",
        palette: [
            "#1d2128", "#e0676f", "#8fbf6a", "#e3b765", "#6aa4e8", "#c183d9", "#5fbfc0", "#c3cad6",
            "#5b6472", "#f1868d", "#abd789", "#f4cd85", "#8fbdf5", "#d7a3ea", "#82d6d6", "#eef2f8",
        ])

    public static let light = TerminalTheme(
        foreground: "#24292f", background: "#fdfdfb",
        palette: [
            "#24292f", "#b3282d", "#2d7d32", "#8a6100", "#1f5fb0", "#8430a5", "#0d7377", "#6e7781",
            "#57606a", "#d1353b", "#3b9a41", "#a87800", "#2f7ad6", "#a046c2", "#16898e", "#d0d7de",
        ])

    func hex(_ color: TerminalColor, standard: String) -> String {
        switch color {
        case .standard: return standard
        case .palette(let index) where index < 16: return palette[Int(index)]
        case .palette(let index) where index < 232:
            let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
            let cube = Int(index) - 16
            return TerminalColor.rgb(
                red: levels[cube / 36], green: levels[cube / 6 % 6], blue: levels[cube % 6]
            ).description
        case .palette(let index):
            let grey = 8 + (index - 232) * 10
            return TerminalColor.rgb(red: grey, green: grey, blue: grey).description
        case .rgb: return color.description
        }
    }
}

/// A drawing of one screen.
struct SVGPicture {
    let screen: TerminalScreen
    let theme: TerminalTheme

    // DejaVu Sans Mono at 14 px: 8.43 px wide; a cell of whole pixels keeps edges sharp.
    private let cellWidth = 8.5
    private let cellHeight = 17.0
    private let margin = 12.0

    init(screen: TerminalScreen, theme: TerminalTheme) {
        self.screen = screen
        self.theme = theme
    }

    func text(title: String?) -> String {
        var content = ""
        for row in 0..<screen.size.rows { content += backgrounds(row) }
        for row in 0..<screen.size.rows { content += foregrounds(row) }
        return frame(around: content + cursor(), title: title)
    }

    /// Each row apart, and the cursor.
    var rowDrawings: [String] {
        (0..<screen.size.rows).map { backgrounds($0) + foregrounds($0) } + [cursor()]
    }

    /// The window around what is drawn.
    func frame(around content: String, title: String?) -> String {
        let bar = title == nil ? 0.0 : 26.0
        let width = Double(screen.size.columns) * cellWidth + margin * 2
        let height = Double(screen.size.rows) * cellHeight + margin * 2 + bar
        var out = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" \
            height="\(number(height))" viewBox="0 0 \(number(width)) \(number(height))">
            <rect width="100%" height="100%" rx="7" fill="\(theme.background)"/>

            """
        if let title {
            let dots = ["#e0676f", "#e3b765", "#8fbf6a"].enumerated().map { index, color in
                let x = number(18 + Double(index) * 18)
                return "<circle cx=\"\(x)\" cy=\"17\" r=\"5.5\" fill=\"\(color)\"/>"
            }
            out += dots.joined()
            out += """
                <text x="\(number(width / 2))" y="21" text-anchor="middle" fill="\(theme.palette[8])" \
                font-family="DejaVu Sans, Verdana, sans-serif" font-size="12">\(escaped(title))</text>

                """
        }
        out += """
            <g transform="translate(\(number(margin)) \(number(margin + bar)))" \
            font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" \
            xml:space="preserve">

            """
        return out + content + "</g>\n</svg>\n"
    }

    // MARK: Layers

    private func backgrounds(_ row: Int) -> String {
        var out = ""
        var column = 0
        while column < screen.size.columns {
            let color = colors(screen[row, column].style).background
            var end = column + 1
            while end < screen.size.columns, colors(screen[row, end].style).background == color {
                end += 1
            }
            if color != theme.background { out += rectangle(row, column, end - column, color) }
            column = end
        }
        return out
    }

    private func foregrounds(_ row: Int) -> String {
        var out = ""
        var column = 0
        while column < screen.size.columns {
            let cell = screen[row, column]
            let color = colors(cell.style).foreground
            if let drawn = drawing(of: cell.text, row, column, color) {
                out += drawn
                column += 1
                continue
            }
            var end = column
            var text = ""
            var places: [String] = []
            while end < screen.size.columns, screen[row, end].style == cell.style,
                drawing(of: screen[row, end].text, row, end, color) == nil
            {
                let character = screen[row, end].text
                if !character.isEmpty {
                    text += character
                    let x = number(Double(end) * cellWidth)
                    places += Array(repeating: x, count: character.utf16.count)
                }
                end += 1
            }
            if cell.style.attributes.isDisjoint(with: [.underline, .strike]) {
                while text.hasSuffix(" ") {
                    text.removeLast()
                    places.removeLast()
                }
            }
            if !text.isEmpty { out += run(text, at: places, row, cell.style, color) }
            column = end
        }
        return out
    }

    private func run(
        _ text: String, at places: [String], _ row: Int, _ style: TerminalStyle, _ color: String
    ) -> String {
        var look = ""
        if style.attributes.contains(.bold) { look += " font-weight=\"bold\"" }
        if style.attributes.contains(.italic) { look += " font-style=\"italic\"" }
        let lines = [
            style.attributes.contains(.underline) ? "underline" : "",
            style.attributes.contains(.strike) ? "line-through" : "",
        ].filter { !$0.isEmpty }.joined(separator: " ")
        if !lines.isEmpty { look += " text-decoration=\"\(lines)\"" }
        let y = number(Double(row) * cellHeight + 13)
        return "<text x=\"\(places.joined(separator: " "))\" y=\"\(y)\" fill=\"\(color)\"\(look)>"
            + "\(escaped(text))</text>\n"
    }

    private func cursor() -> String {
        guard screen.modes.showsCursor, screen.cursor.column < screen.size.columns else {
            return ""
        }
        let x = number(Double(screen.cursor.column) * cellWidth)
        let y = number(Double(screen.cursor.row) * cellHeight)
        return """
            <rect x="\(x)" y="\(y)" width="\(number(cellWidth))" height="\(number(cellHeight))" \
            fill="\(theme.foreground)" fill-opacity="0.55"/>

            """
    }

    // MARK: Shapes

    /// Half blocks, eighths, quarters and light lines as shapes; nil for characters drawn by the
    /// font.
    private func drawing(of text: String, _ row: Int, _ column: Int, _ color: String) -> String? {
        guard text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first else {
            return nil
        }
        func part(_ left: Double, _ top: Double, _ width: Double, _ height: Double) -> String {
            rectangle(row, column, color, left, top, width, height)
        }
        switch scalar.value {
        case 0x2580: return part(0, 0, 1, 0.5)
        case 0x2581...0x2588:
            let height = Double(scalar.value - 0x2580) / 8
            return part(0, 1 - height, 1, height)
        case 0x2589...0x258F: return part(0, 0, Double(0x2590 - scalar.value) / 8, 1)
        case 0x2590: return part(0.5, 0, 0.5, 1)
        case 0x2594: return part(0, 0, 1, 0.125)
        case 0x2595: return part(0.875, 0, 0.125, 1)
        case 0x2596...0x259F:
            // Upper left, upper right, lower left, lower right.
            let quarters: [UInt8] = [
                0b0010, 0b0001, 0b1000, 0b1011, 0b1001, 0b1110, 0b1101, 0b0100, 0b0110, 0b0111,
            ]
            let bits = quarters[Int(scalar.value - 0x2596)]
            return [(0b1000, 0.0, 0.0), (0b0100, 0.5, 0.0), (0b0010, 0.0, 0.5), (0b0001, 0.5, 0.5)]
                .filter { Int(bits) & $0.0 != 0 }.map { part($0.1, $0.2, 0.5, 0.5) }.joined()
        default:
            return arms(of: scalar.value)?.map { arm in
                switch arm {
                case .left: part(0, 0.47, 0.56, 0.06)
                case .right: part(0.44, 0.47, 0.56, 0.06)
                case .up: part(0.44, 0, 0.12, 0.53)
                case .down: part(0.44, 0.47, 0.12, 0.53)
                }
            }.joined()
        }
    }

    private enum Arm { case left, right, up, down }

    private func arms(of scalar: UInt32) -> [Arm]? {
        switch scalar {
        case 0x2500: [.left, .right]
        case 0x2502: [.up, .down]
        case 0x250C, 0x256D: [.right, .down]
        case 0x2510, 0x256E: [.left, .down]
        case 0x2514, 0x2570: [.right, .up]
        case 0x2518, 0x256F: [.left, .up]
        case 0x251C: [.up, .down, .right]
        case 0x2524: [.up, .down, .left]
        case 0x252C: [.left, .right, .down]
        case 0x2534: [.left, .right, .up]
        case 0x253C: [.left, .right, .up, .down]
        default: nil
        }
    }

    private func rectangle(_ row: Int, _ column: Int, _ count: Int, _ color: String) -> String {
        rectangle(row, column, color, 0, 0, Double(count), 1)
    }

    private func rectangle(
        _ row: Int, _ column: Int, _ color: String, _ left: Double, _ top: Double, _ width: Double,
        _ height: Double
    ) -> String {
        let x = number((Double(column) + left) * cellWidth)
        let y = number((Double(row) + top) * cellHeight)
        return """
            <rect x="\(x)" y="\(y)" width="\(number(width * cellWidth))" \
            height="\(number(height * cellHeight))" fill="\(color)" shape-rendering="crispEdges"/>

            """
    }

    // MARK: Words

    private func colors(_ style: TerminalStyle) -> (foreground: String, background: String) {
        let front = theme.hex(style.foreground, standard: theme.foreground)
        let back = theme.hex(style.background, standard: theme.background)
        return style.attributes.contains(.reverse) ? (back, front) : (front, back)
    }

    private func number(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        guard hundredths % 100 != 0 else { return "\(hundredths / 100)" }
        let fraction = abs(hundredths % 100)
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }

    private func escaped(_ text: String) -> String {
        text.reduce(into: "") { out, character in
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            default: out.append(character)
            }
        }
    }
}
