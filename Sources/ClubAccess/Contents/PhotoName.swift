/// Names for photos in the club.
package enum PhotoName {
    /// Whether a file counts as a photo: by its name alone, since a listing has no contents.
    package static func isPhoto(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".jpg") || lowercased.hasSuffix(".jpeg")
    }

    /// Endings of pictures that become photos when they are uploaded.
    private static let otherEndings = [".png", ".heic", ".heif", ".webp", ".avif"]

    /// Whether a file is taken for a picture that can be uploaded.
    package static func isPicture(_ name: String) -> Bool {
        isPhoto(name) || otherEnding(of: name) != nil
    }

    /// The name of an uploaded file: its own, with `.jpg` added unless it has a JPEG extension, and in
    /// the place of another picture's.
    package static func forClub(_ fileName: String) -> String {
        guard !isPhoto(fileName) else { return fileName }
        guard let ending = otherEnding(of: fileName), fileName.count > ending.count else {
            return fileName + ".jpg"
        }
        return fileName.dropLast(ending.count) + ".jpg"
    }

    private static func otherEnding(of name: String) -> String? {
        let lowercased = name.lowercased()
        return otherEndings.first { lowercased.hasSuffix($0) }
    }

    /// The name of a photo's file on this computer: its name in the club without slashes and control
    /// characters, and short enough for a file system.
    package static func onDisk(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { scalar in
            let isHarmful = scalar == "/" || scalar.properties.generalCategory == .control
            return isHarmful ? "_" : Character(scalar)
        }
        let safe = String(scalars)
        guard !safe.isEmpty, safe != ".", safe != ".." else { return "photo.jpg" }
        return shortened(safe, by: "")
    }

    /// The name with something before its ending, in the 255 bytes that a file system has for it.
    private static func shortened(_ name: String, by addition: String) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var stem = name[..<dot]
        // A dot far from the end begins no ending.
        let isLong = name[dot...].utf8.count > 32
        let ending = isLong ? "" : name[dot...]
        if isLong { stem = name[...] }
        while !stem.isEmpty, stem.utf8.count + addition.utf8.count + ending.utf8.count > 255 {
            stem.removeLast()
        }
        return stem + addition + ending
    }

    /// A name that is not taken: `sea (2).jpg`, `sea (3).jpg` and so on.
    package static func free(like name: String, isTaken: (String) -> Bool) -> String {
        var number = 2
        while true {
            let candidate = shortened(name, by: " (\(number))")
            if !isTaken(candidate) { return candidate }
            number += 1
        }
    }
}
