package import ClubStore
internal import ByteClubMessages

extension DestinationProblem {
    /// Why a photo cannot be stored on this computer, and what to do; nil if only the error of the file is
    /// known.
    ///
    /// - Parameter path: The path of the file.
    package func sentence(about path: String) -> String? {
        let (folder, name) = Self.parts(of: path)
        return switch self {
        case .isThere:
            localized(
                "There is a file “\(path)” already. Move it, or fetch the photo to another folder.")
        case .isFolder: localized("“\(path)” is a folder. Choose another name or another folder.")
        case .hasNoFolder: localized("There is no folder “\(folder)”. Make it, or choose another.")
        case .nameTooLong:
            localized(
                "The name “\(name)” is too long for the disk of “\(folder)”. “byteclub photos get” "
                    + "can fetch it "
                    + "under another name.")
        case .nameRefused:
            localized(
                "The disk of “\(folder)” does not allow the name “\(name)”. “byteclub photos get” "
                    + "can fetch it under another name."
            )
        case .forbidden: localized("You may not write in “\(folder)”. Choose another folder.")
        case .diskFull: localized("The disk of “\(folder)” is full. Make room and try again.")
        case .other: nil
        }
    }

    private static func parts(of path: String) -> (folder: String, name: String) {
        guard let (folder, name) = path.splitAtLastSlash else { return (".", path) }
        return (folder.isEmpty ? "/" : folder, name)
    }
}
