@_spi(_Unicode) internal import Swift

/// The form of texts in which a search compares them: letters without accents.
public enum SearchLetters {
    /// A text in canonical decomposition without the accents of European scripts.
    ///
    /// - Parameter ignoringCase: Whether to convert to lowercase.
    /// - Returns: UTF-8.
    public static func folded(_ text: String, ignoringCase: Bool = true) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            return text.utf8.map {
                ignoringCase && $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0
            }
        }
        var scalars = String.UnicodeScalarView()
        for scalar in (ignoringCase ? text.lowercased() : text)._nfd
        where !(0x300...0x36F).contains(scalar.value) {
            scalars.append(scalar)
        }
        return Array(String(scalars).utf8)
    }
}
