internal import ClubStore
internal import FoundationEssentials
internal import Glibc
internal import TerminalUI
internal import TextEditing

/// What is remembered of each note's editor over restarts: the caret, the place on the screen, the toggles, and what
/// can be undone.
///
/// One file a note, mode 0600, in a folder of mode 0700; the ones written longest ago go first. Nothing here is needed:
/// what cannot be read or written is left out.
struct EditorMemory: Sendable {
    let folder: URL

    private static let noteLimit = 300
    private static let historyByteLimit = 256 << 10
    /// Longer texts are not remembered: each save and each opening would read them whole.
    private static let textByteLimit = 4 << 20

    private struct Header: Codable {
        var version: Int
        var path: String
        /// Of the text that the history belongs to.
        var textHash: String
        var anchor: Int
        var head: Int
        var scroll: Int
        var wraps: Bool?
        var numbers: Bool?
    }

    private static let formatVersion = 1

    /// Writes what is to be remembered of a note.
    ///
    /// - Parameter text: As it is in the club, with what the editor does not show.
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
        try? FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        write(data, to: file(of: path))
        prune()
    }

    /// What is remembered of a note with this text; without a history where the text was another.
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
            // What was selected would be replaced by the first key.
            selection: Selection(caret: place(header.head)),
            scrollAnchor: place(header.scroll), wrapsLines: header.wraps,
            showsLineNumbers: header.numbers, history: history ?? UndoHistory())
    }

    private func forget(_ path: RemotePath) { unlink(file(of: path)) }

    private func file(of path: RemotePath) -> String {
        folder.path + "/" + Self.hash(of: TextBuffer(path.string)) + ".editor"
    }

    private func write(_ data: Data, to path: String) {
        let temporary = path + ".tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let isWritten = data.withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress, $0.count) == $0.count
        }
        close(descriptor)
        if !isWritten || rename(temporary, path) != 0 { unlink(temporary) }
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

    /// FNV-1a in 64 bits, and the length: tells texts apart that nobody has made to be alike.
    private static func hash(of text: TextBuffer) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        text.forEachSpan(in: 0..<text.count) { span in
            for byte in span { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return true
        }
        return String(hash, radix: 16) + "-" + String(text.count, radix: 16)
    }
}
