/// Finds the nearest color that a terminal has.
enum PaletteColors {
    /// The number of a color at a depth; -1 for the terminal's own.
    static func number(of color: Color, depth: ColorDepth) -> Int {
        switch color.kind {
        case .default: return -1
        case .palette(let index):
            switch depth {
            case .monochrome: return -1
            case .palette, .direct: return Int(index)
            case .sixteen: return index < 16 ? Int(index) : nearest16(components(of: index))
            case .eight: return index < 16 ? Int(index & 7) : nearest16(components(of: index)) & 7
            }
        case .rgb(let red, let green, let blue):
            let wanted = (Int(red), Int(green), Int(blue))
            switch depth {
            case .monochrome: return -1
            case .palette, .direct: return nearest256(wanted)
            case .sixteen: return nearest16(wanted)
            case .eight: return nearest16(wanted) & 7
            }
        }
    }

    private typealias Components = (Int, Int, Int)

    /// The levels of xterm's 6 × 6 × 6 cube.
    private static let steps = [0, 95, 135, 175, 215, 255]

    /// xterm's first sixteen colors, unless the user has changed them.
    private static let basic: [Components] = [
        (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205),
        (0, 205, 205), (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
        (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
    ]

    private static func components(of index: UInt8) -> Components {
        let number = Int(index)
        if number < 16 { return basic[number] }
        if number >= 232 {
            let grey = 8 + 10 * (number - 232)
            return (grey, grey, grey)
        }
        let cube = number - 16
        return (steps[cube / 36], steps[cube / 6 % 6], steps[cube % 6])
    }

    private static func nearestStep(_ value: Int) -> Int {
        value < 48 ? 0 : value < 115 ? 1 : min(5, (value - 35) / 40)
    }

    /// In the cube or on the gray ramp; the first sixteen are user-defined.
    private static func nearest256(_ wanted: Components) -> Int {
        let red = nearestStep(wanted.0)
        let green = nearestStep(wanted.1)
        let blue = nearestStep(wanted.2)
        let grey = max(0, min(23, ((wanted.0 + wanted.1 + wanted.2) / 3 - 3) / 10))
        let greyLevel = 8 + 10 * grey
        let cubeDistance = distance(wanted, (steps[red], steps[green], steps[blue]))
        let greyDistance = distance(wanted, (greyLevel, greyLevel, greyLevel))
        return greyDistance < cubeDistance ? 232 + grey : 16 + 36 * red + 6 * green + blue
    }

    private static func nearest16(_ wanted: Components) -> Int {
        basic.indices.min { distance(wanted, basic[$0]) < distance(wanted, basic[$1]) } ?? 7
    }

    /// Weighted by the eye's sensitivity: green most, then red.
    private static func distance(_ left: Components, _ right: Components) -> Int {
        let red = left.0 - right.0
        let green = left.1 - right.1
        let blue = left.2 - right.2
        return 3 * red * red + 4 * green * green + 2 * blue * blue
    }
}
