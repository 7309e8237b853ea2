/// Names for photos in the club.
package enum PhotoName {
    /// Whether a file counts as a photo: by its name alone, since a listing has no contents.
    package static func isPhoto(_ name: String) -> Bool {
        let lowercased = name.lowercased()
        return lowercased.hasSuffix(".jpg") || lowercased.hasSuffix(".jpeg")
    }

    /// Whether a file is taken for a picture that becomes a photo when it is uploaded.
    package static func isDrawing(_ name: String) -> Bool { name.lowercased().hasSuffix(".png") }

    /// The name of an uploaded file: its own, with `.jpg` added unless it has a JPEG extension, and in
    /// the place of `.png`.
    package static func forClub(_ fileName: String) -> String {
        guard !isPhoto(fileName) else { return fileName }
        let isNamedDrawing = isDrawing(fileName) && fileName.count > 4
        return (isNamedDrawing ? String(fileName.dropLast(4)) : fileName) + ".jpg"
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
