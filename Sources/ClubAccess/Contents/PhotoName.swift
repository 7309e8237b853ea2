/// Names for photos in the club.
package enum PhotoName {
    /// Whether a file counts as a photo: by its name alone, since a listing has no contents.
    package static func isPhoto(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".jpg") || lowercased.hasSuffix(".jpeg")
    }

    /// The name of an uploaded file: its own, with `.jpg` added unless it has a JPEG extension.
    package static func forClub(_ fileName: String) -> String {
        isPhoto(fileName) ? fileName : fileName + ".jpg"
    }

    /// A name that is not taken: `sea (2).jpg`, `sea (3).jpg` and so on.
    package static func free(like name: String, isTaken: (String) -> Bool) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var number = 2
        while true {
            let candidate = "\(name[..<dot]) (\(number))\(name[dot...])"
            if !isTaken(candidate) { return candidate }
            number += 1
        }
    }
}
