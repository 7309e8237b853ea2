internal import ByteClubMessages

/// The transfers that have ended one after another, for one sentence about all of them.
struct EndedTransfers {
    /// Since none was under way.
    private(set) var uploadCount = 0
    private(set) var downloadCount = 0

    /// Forgets the uploads: the last one has not arrived.
    mutating func forgetUploads() { uploadCount = 0 }

    /// Notes a download, and says so: by its name, or how many there were.
    ///
    /// - Parameters:
    ///   - folder: Where it is, in words.
    ///   - left: How many are still under way.
    mutating func noteDownload(of name: String, in folder: String, left: Int) -> String {
        downloadCount += 1
        defer { if left == 0 { downloadCount = 0 } }
        return downloadCount == 1
            ? localized("“\(name)” is in \(folder).")
            : localized("\(downloadCount) photos are in \(folder).")
    }

    /// Notes an upload, and says so: by its name, or how many there were.
    ///
    /// - Parameters:
    ///   - left: How many are still under way.
    ///   - failed: How many of them have failed.
    mutating func noteUpload(of name: String, left: Int, failed: Int) -> String {
        uploadCount += 1
        defer { if left == 0 { uploadCount = 0 } }
        let what = uploadCount == 1 ? "“\(name)”" : localized("\(uploadCount) photos")
        if failed > 0 { return localized("In the club: \(what); \(failed) failed: w shows why.") }
        if left > 0 { return localized("In the club: \(what); \(left) to go.") }
        return uploadCount > 1
            ? localized("In the club: \(what).") : localized("“\(name)” is in the club.")
    }
}
