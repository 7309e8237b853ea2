/// Names for photos in the club.
enum PhotoName {
    /// The name an uploaded file gets: its own, with `.jpg` added when it does not say that it is one.
    static func forClub(_ fileName: String) -> String {
        PhotoFolder.isNamedLikeAPhoto(fileName) ? fileName : fileName + ".jpg"
    }

    /// A name that is free: `sea (2).jpg`, `sea (3).jpg` and so on.
    static func free(like name: String, isTaken: (String) -> Bool) -> String {
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        var number = 2
        while true {
            let candidate = "\(name[..<dot]) (\(number))\(name[dot...])"
            if !isTaken(candidate) { return candidate }
            number += 1
        }
    }
}
