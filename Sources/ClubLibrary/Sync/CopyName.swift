/// The name of a text that is kept beside another file of its name.
public enum CopyName {
    /// `Plan (my version).txt`, `Plan (my version 2).txt` … for 1, 2 …
    public static func of(_ name: String, number: Int) -> String {
        let mark = number == 1 ? " (my version)" : " (my version \(number))"
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name + mark }
        return name[..<dot] + mark + name[dot...]
    }

    /// The highest number.
    public static let limit = 99
}
