internal import CByteClubLinux
package import FoundationEssentials
internal import Glibc

/// The files in a folder of this computer whose names are not UTF-8: the server of the embedded club does not list
/// them, since its API has no way to express such names.
package enum UndecodableNames {
    /// The paths below a folder, escaped: `/drafts/caf\xE9.txt`. Hidden files and links are not included, nor what
    /// lies in a folder with such a name.
    ///
    /// - Parameter isRecursive: Whether to look into subfolders.
    package static func find(in folder: URL, isRecursive: Bool = true) -> [String] {
        var found: [String] = []
        collect(Array(folder.path.utf8), shownAs: "", isRecursive, depth: 0, into: &found)
        return found.sorted()
    }

    /// Deeper folders can only be a mistake, or loops of mounts.
    private static let depthLimit = 64

    private static func collect(
        _ path: [UInt8], shownAs shown: String, _ isRecursive: Bool, depth: Int,
        into found: inout [String]
    ) {
        guard depth < depthLimit, let stream = opendir(path.map { CChar(bitPattern: $0) } + [0])
        else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            guard name.first != UInt8(ascii: ".") else { continue }
            let place = path + [UInt8(ascii: "/")] + name
            guard let text = String(validating: name, as: UTF8.self) else {
                if kind(of: place) != S_IFLNK { found.append(shown + "/" + escaped(name)) }
                continue
            }
            guard isRecursive, entry.pointee.d_type != DT_REG else { continue }
            if kind(of: place) == S_IFDIR {
                collect(
                    place, shownAs: shown + "/" + text, isRecursive, depth: depth + 1, into: &found)
            }
        }
    }

    private static func kind(of path: [UInt8]) -> mode_t {
        var status = stat()
        guard lstat(path.map { CChar(bitPattern: $0) } + [0], &status) == 0 else { return 0 }
        return status.st_mode & S_IFMT
    }

    /// `caf\xE9.txt`.
    private static func escaped(_ name: [UInt8]) -> String {
        name.reduce(into: "") { text, byte in
            if (0x20..<0x7F).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                text += "\\x" + (digits.count < 2 ? "0" : "") + digits
            }
        }
    }
}
