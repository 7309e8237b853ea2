/// Names for photos in the club.
package enum PhotoName {
    /// Extensions of supported pictures, grouped by kind; JPEG first.
    private static let endings = [
        [".jpg", ".jpeg"], [".png"], [".heic", ".heif"], [".webp"], [".avif"],
    ]

    /// Of pictures that can be uploaded, but only as a JPEG.
    private static let convertedEndings = [
        ".tif", ".tiff", ".gif", ".bmp", ".ppm", ".pgm", ".pnm",
    ]

    /// Whether a file counts as a photo: by name only, since a listing has no contents.
    package static func isPhoto(_ name: String) -> Bool { kind(of: name) != nil }

    /// Whether a file on this computer looks like a picture that can be uploaded.
    package static func isUploadable(_ name: String) -> Bool {
        isPhoto(name) || convertedEnding(of: name) != nil
    }

    private static func convertedEnding(of name: String) -> String? {
        let lowercased = name.lowercased()
        return convertedEndings.first(where: lowercased.hasSuffix)
    }

    /// A name with each possible extension of a photo, the usual ones first.
    package static func withEndings(_ name: String) -> [String] {
        endings.joined().map { name + $0 }
    }

    /// The name of an uploaded file: its own if it is unchanged. Otherwise it becomes a JPEG, and `.jpg`
    /// replaces the extension.
    ///
    /// - Parameters:
    ///   - keepsOriginal: Whether the file is uploaded unchanged.
    ///   - ending: For a file that is uploaded unchanged and whose name has no extension of a photo.
    package static func forClub(
        _ fileName: String, keepsOriginal: Bool = false, endingIn ending: String? = nil
    ) -> String {
        guard let (index, ending) = kind(of: fileName), fileName.count > ending.count else {
            let converted = keepsOriginal ? nil : convertedEnding(of: fileName)
            if let converted, fileName.count > converted.count {
                return fileName.dropLast(converted.count) + ".jpg"
            }
            return fileName + (keepsOriginal ? ending ?? ".jpg" : ".jpg")
        }
        guard index > 0, !keepsOriginal else { return fileName }
        return fileName.dropLast(ending.count) + ".jpg"
    }

    /// The new name of a photo, with an extension of its kind: renaming does not convert it.
    package static func forClub(_ newName: String, renaming name: String) -> String {
        let old = kind(of: name)
        // In its original case.
        let ending = old.map { String(name.suffix($0.ending.count)) } ?? ".jpg"
        guard let new = kind(of: newName), newName.count > new.ending.count else {
            return newName + ending
        }
        return new.index == old?.index ?? 0
            ? newName : newName.dropLast(new.ending.count) + ending
    }

    /// Whether a typed name means a photo whose ending was left off: `cliff` is `cliff.jpg`.
    package static func isShortened(_ typed: String, from name: String) -> Bool {
        isPhoto(name) && name.hasPrefix(typed + ".") && forClub(typed, renaming: name) == name
    }

    /// The kind of a picture by its name, and the lowercase extension.
    private static func kind(of name: String) -> (index: Int, ending: String)? {
        let lowercased = name.lowercased()
        for (index, kind) in endings.enumerated() {
            if let ending = kind.first(where: lowercased.hasSuffix) { return (index, ending) }
        }
        return nil
    }

    /// The same name as every club takes it: without control characters, backslashes and slashes, which become `_`, as
    /// a space or a dot at its beginning does, and short enough.
    package static func allowed(_ name: String) -> String {
        let scalars = name.unicodeScalars.enumerated().map { index, scalar in
            let isHarmful =
                scalar == "/" || scalar == "\\" || index == 0 && (scalar == " " || scalar == ".")
                || scalar.properties.generalCategory == .control
            return isHarmful ? "_" : Character(scalar)
        }
        return shortened(String(scalars), by: "")
    }

    /// The name of a photo's file on this computer: without slashes and control characters, and short enough
    /// for a file system.
    package static func onDisk(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar in
            let isHarmful = scalar == "/" || scalar.properties.generalCategory == .control
            return isHarmful ? "_" : Character(scalar)
        }
        let safe = String(scalars)
        guard !safe.isEmpty, safe != ".", safe != ".." else { return "photo.jpg" }
        return shortened(safe, by: "")
    }

    /// The name with an addition before the extension, in at most 255 bytes.
    private static func shortened(_ name: String, by addition: String) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var stem = name[..<dot]
        // A dot far from the end does not begin an extension.
        let isLong = name[dot...].utf8.count > 32
        let ending = isLong ? "" : name[dot...]
        if isLong { stem = name[...] }
        while !stem.isEmpty, stem.utf8.count + addition.utf8.count + ending.utf8.count > 255 {
            stem.removeLast()
        }
        return stem + addition + ending
    }

    /// An unused name: `sea (2).jpg`, `sea (3).jpg` and so on.
    package static func free(like name: String, isTaken: (String) -> Bool) -> String {
        var number = 2
        while true {
            let candidate = shortened(name, by: " (\(number))")
            if !isTaken(candidate) { return candidate }
            number += 1
        }
    }
}
