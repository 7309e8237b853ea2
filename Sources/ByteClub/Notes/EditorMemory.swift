internal import ByteClubFiles
internal import ClubStore
internal import FoundationEssentials
internal import Glibc
internal import TerminalUI
internal import TextEditing

/// Stores each note's editor state between runs: the caret, the scroll position, the toggles, and the undo history.
///
/// One file per note, mode 0600, in a folder of mode 0700. The oldest files are removed first. Errors are ignored: the
/// editor works without it.
struct EditorMemory: Sendable {
    let folder: URL

    private static let noteLimit = 300
    private static let historyByteLimit = 256 << 10
    /// For longer texts nothing is stored: each save and each opening would read the whole text.
    private static let textByteLimit = 4 << 20

    private struct Header: Codable {
        var version: Int
        var path: String
        /// The hash of the text that the history belongs to.
        var textHash: String
        var anchor: Int
        var head: Int
        var scroll: Int
        var wraps: Bool?
        var numbers: Bool?
    }

    private static let formatVersion = 1

    /// Stores the state of a note's editor.
    ///
    /// - Parameter text: The text as stored in the club, including the byte order mark.
    @concurrent nonisolated func save(
        _ memory: TextView.Memory, of path: RemotePath, text: TextBuffer
    ) async {
        guard text.count <= Self.textByteLimit else { return forget(path) }
        let header = Header(
            version: Self.formatVersion, path: path.string, textHash: Self.hash(of: text),
            anchor: memory.selection.anchor, head: memory.selection.head,
            scroll: memory.scrollAnchor, wraps: memory.wrapsLines,
            numbers: memory.showsLineNumbers)
        guard var data = try? JSONEncoder().encode(header) else { return }
        data.append(0x0A)
        data.append(contentsOf: memory.history.encoded(byteLimit: Self.historyByteLimit))
        // Not synced: losing it in a power cut costs no text.
        let place = file(of: path)
        try? AtomicFile(url: URL(filePath: place)).write(
            data, by: "\(place).\(getpid()).tmp", isSynced: false)
        prune()
    }

    /// The stored state of a note's editor; without undo history if the text has changed.
    @concurrent nonisolated func load(
        _ path: RemotePath, text: TextBuffer
    ) async -> TextView.Memory? {
        guard text.count <= Self.textByteLimit,
            let data = FileManager.default.contents(atPath: file(of: path)),
            let newline = data.firstIndex(of: 0x0A),
            let header = try? JSONDecoder().decode(Header.self, from: data[..<newline]),
            header.version == Self.formatVersion, header.path == path.string
        else { return nil }
        let shown = text.withoutByteOrderMark
        let isSame = header.textHash == Self.hash(of: text)
        let history =
            isSame ? UndoHistory(decoding: data[(newline + 1)...], textCount: shown.count) : nil
        func place(_ offset: Int) -> Int { min(max(0, offset), shown.count) }
        return TextView.Memory(
            // A restored selection would be replaced by the first key.
            selection: Selection(caret: place(header.head)),
            scrollAnchor: place(header.scroll), wrapsLines: header.wraps,
            showsLineNumbers: header.numbers, history: history ?? UndoHistory())
    }

    private func forget(_ path: RemotePath) { unlink(file(of: path)) }

    private func file(of path: RemotePath) -> String {
        folder.path + "/" + Self.hash(of: TextBuffer(path.string)) + ".editor"
    }

    private func prune() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        guard names.count > Self.noteLimit else { return }
        let files = names.map { name -> (path: String, age: Int) in
            var status = stat()
            let path = folder.path + "/" + name
            return (path, stat(path, &status) == 0 ? status.st_mtim.tv_sec : 0)
        }
        for file in files.sorted(by: { $0.age < $1.age }).prefix(names.count - Self.noteLimit) {
            unlink(file.path)
        }
    }

    /// 64-bit FNV-1a and the length; not safe against texts made to collide.
    private static func hash(of text: TextBuffer) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        text.forEachSpan(in: 0..<text.count) { span in
            for byte in span { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return true
        }
        return String(hash, radix: 16) + "-" + String(text.count, radix: 16)
    }
}
