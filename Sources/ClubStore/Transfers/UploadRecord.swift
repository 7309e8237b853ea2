import Files
import FoundationEssentials
import Glibc

/// How far an upload has got, kept in a file so that another run of the program can go on with it.
///
/// It speaks of one content on its way to one destination: of any other it knows nothing.
struct UploadRecord: Sendable {
    /// Where the bytes are that have arrived, and how many.
    struct Progress: Codable, Hashable, Sendable {
        /// In the store's own terms: an upload session, a file under another name.
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

    /// As the server knows it.
    let destination: String

    /// What an earlier run has kept; nil for nothing, and for what makes no sense.
    var progress: Progress? {
        guard let data = try? Data(contentsOf: file),
            let note = try? JSONDecoder().decode(Note.self, from: data),
            note.contentHash == contentHash, note.destination == destination
        else { return nil }
        return note.progress
    }

    /// Keeps it in the place of what was kept before, durably; nil forgets. What cannot be kept costs
    /// sending again, nothing else.
    func keep(_ progress: Progress?) async {
        try? await FileQueue.run { () throws(StoreError) in
            guard let progress else { return remove() }
            let note = Note(
                contentHash: contentHash, destination: destination, progress: progress)
            if let data = try? JSONEncoder().encode(note) { write(data) }
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
    /// Whether what has arrived of an upload that failed so may help the next attempt.
    var leavesUploadOfUse: Bool {
        switch self {
        case .conflict, .changedMeanwhile, .nameNotAllowed, .tooLarge, .damaged: false
        default: true
        }
    }
}
