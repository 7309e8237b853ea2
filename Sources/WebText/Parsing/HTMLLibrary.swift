internal import CByteClubXML

/// The library that reads HTML, for reports of what a program runs on.
public enum HTMLLibrary {
    /// E.g. `libxml2 2.9.14`.
    public static var version: String {
        let number = Int(byteclub_xml_version())
        return "libxml2 \(number / 10_000).\(number / 100 % 100).\(number % 100)"
    }
}
