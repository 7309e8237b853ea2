internal import ByteClubMessages

/// What is said when one of several transfers has ended that run one after another.
enum EndedTransfers {
    /// Says that a download has ended: by its name, or how many there were.
    ///
    /// - Parameters:
    ///   - folder: Where it is, in words.
    ///   - count: How many have ended, this one among them.
    ///   - isOneFolder: Whether all of them are there.
    static func sentence(
        forDownloadOf name: String, in folder: String, count: Int, isOneFolder: Bool = true
    ) -> String {
        count > 1 && isOneFolder
            ? localized("\(count) photos are in \(folder).")
            : localized("“\(name)” is in \(folder).")
    }

    /// Says that an upload has ended: by its name, or how many there were.
    ///
    /// - Parameters:
    ///   - count: How many have ended, this one among them.
    ///   - left: How many are still under way.
    ///   - failed: How many of them have failed.
    static func sentence(forUploadOf name: String, count: Int, left: Int, failed: Int) -> String {
        let what = count > 1 ? localized("\(count) photos") : "“\(name)”"
        if failed > 0 { return localized("In the club: \(what); \(failed) failed: w shows why.") }
        if left > 0 { return localized("In the club: \(what); \(left) to go.") }
        return count > 1
            ? localized("In the club: \(what).") : localized("“\(name)” is in the club.")
    }
}
