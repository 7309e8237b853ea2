import DropboxAPI
import FoundationEssentials

/// A name for a place that can stand in a path, and is another one for every other place.
package struct StoreIdentity: Hashable, Sendable, CustomStringConvertible {
    /// 32 hexadecimal digits.
    package let description: String

    /// - Parameter parts: What tells places apart, in order; may hold anything.
    package init(of parts: [String]) {
        // With the length before each part, no two lists make the same text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        description = String(ContentHash(of: Data(text.utf8)).hexadecimal.prefix(32))
    }
}
