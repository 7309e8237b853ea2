import DropboxAPI
import FoundationEssentials

/// A file-name-safe identifier, different for every location.
package struct StoreIdentity: Hashable, Sendable, CustomStringConvertible {
    /// 32 hexadecimal digits.
    package let description: String

    /// - Parameter parts: What distinguishes locations, in order; may hold anything.
    package init(of parts: [String]) {
        // Each part is preceded by its length, so no two lists make the same text.
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        description = String(ContentHash(of: Data(text.utf8)).hexadecimal.prefix(32))
    }
}
