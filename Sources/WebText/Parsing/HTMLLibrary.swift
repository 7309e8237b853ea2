internal import CByteClubXML

/// The HTML parser library, for reports about the environment.
public enum HTMLLibrary {
    /// E.g. `libxml2 2.9.14`.
    public static var version: String {
        let number = Int(byteclub_xml_version())
        return "libxml2 \(number / 10_000).\(number / 100 % 100).\(number % 100)"
    }
}
