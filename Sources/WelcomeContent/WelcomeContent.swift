import CByteClubWelcome
public import FoundationEssentials

/// What a new club holds: a note that tells the keys, and three panoramas.
///
/// The files are part of the program, so that it needs nothing beside it once installed.
public enum WelcomeContent {
    public struct File: Sendable {
        /// The path in the club's folder, such as "photos/Lighthouse coast.jpg".
        public let path: String

        /// The whole content.
        public let data: Data
    }

    /// All files, in the order in which they should be put into the folder; a new copy, half a
    /// megabyte, on each call.
    ///
    /// - Parameter isChinese: Whether the note is in Simplified Chinese; else it is in English.
    public static func files(inChinese isChinese: Bool = false) -> [File] {
        (0..<byteclub_welcome_file_count()).map { index in
            let file =
                index == 0 && isChinese
                ? byteclub_welcome_chinese_note : byteclub_welcome_file_at(index)
            // Copied: a Data without a deallocator would write a change of it into the program.
            return File(
                path: String(cString: file.name),
                data: Data(bytes: file.bytes, count: file.byte_count))
        }
    }
}
