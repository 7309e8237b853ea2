import ByteClubFiles
package import FoundationEssentials
import Glibc

/// The progress of an upload, stored in a file so that another run of the program can resume it.
///
/// Valid only for one content sent to one destination.
package struct UploadRecord: Sendable {
    /// Where the received bytes are stored, and how many there are.
    struct Progress: Codable, Hashable, Sendable {
        /// In the store's terms: an upload session, a temporary file.
        var place: String
        var byteCount: Int64
    }

    private struct Note: Codable {
        var contentHash: String
        var destination: String
        var progress: Progress
    }

    let file: URL

    /// Of the file being sent, in Dropbox's form.
    let contentHash: String

    /// The server's path.
    let destination: String

    /// The progress of an earlier run; nil for none or an invalid record.
    var progress: Progress? {
        (try? Data(contentsOf: file)).flatMap { progress(in: $0) }
    }

    /// What a record's bytes say of this upload.
    func progress(in data: Data) -> Progress? {
        guard let note = try? JSONDecoder().decode(Note.self, from: data),
            note.contentHash == contentHash, note.destination == destination,
            note.progress.byteCount >= 0
        else { return nil }
        return note.progress
    }

    /// How many bytes of an upload the server has according to a record; 0 without one. Whether they match
    /// the current file is checked when the upload is resumed.
    package static func keptByteCount(in file: URL) -> Int64 {
        guard let data = try? Data(contentsOf: file),
            let note = try? JSONDecoder().decode(Note.self, from: data)
        else { return 0 }
        return max(0, note.progress.byteCount)
    }

    func encoded(_ progress: Progress) -> Data? {
        try? JSONEncoder().encode(
            Note(contentHash: contentHash, destination: destination, progress: progress))
    }

    /// Replaces the stored progress durably; nil removes it. If saving fails, bytes are only sent
    /// again.
    func keep(_ progress: Progress?) async {
        try? await FileWork.run { () throws(StoreError) in
            guard let progress else { return remove() }
            if let data = encoded(progress) { write(data) }
        }
    }
}

extension UploadRecord {
    private func remove() {
        unlink(file.path)
    }

    private func write(_ data: Data) {
        try? AtomicFile(url: file).write(data, by: file.path + ".new")
    }
}

extension StoreError.Code {
    /// Whether the bytes of an upload that failed this way may be useful to the next
    /// attempt.
    var leavesUploadOfUse: Bool {
        switch self {
        case .conflict, .changedMeanwhile, .nameNotAllowed, .tooLarge, .damaged: false
        default: true
        }
    }
}
