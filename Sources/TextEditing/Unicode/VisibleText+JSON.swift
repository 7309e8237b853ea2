extension VisibleText {
    /// JSON of the same meaning in which no character means anything to a terminal: controls but line feeds,
    /// bidirectional and other format characters are escaped.
    public static func escaped(json: String) -> String {
        var safe = ""
        for scalar in json.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\n", .format, .lineSeparator, .paragraphSeparator:
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default:
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }
}
