/// Names for photos in the club.
package enum PhotoName {
    /// Whether a file is taken for a photo: by its name alone, since a listing brings no contents.
    package static func isPhoto(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".jpg") || lowercased.hasSuffix(".jpeg")
    }

    /// The name an uploaded file gets: its own, with `.jpg` added when it does not say that it is one.
    package static func forClub(_ fileName: String) -> String {
        isPhoto(fileName) ? fileName : fileName + ".jpg"
    }

    /// A name that is free: `sea (2).jpg`, `sea (3).jpg` and so on.
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
