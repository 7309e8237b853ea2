package import ClubStore
package import FoundationEssentials
internal import ByteClubMessages
internal import TextEditing

/// Files as lines of plain text: size, age, name.
package enum FileLines {
    /// - Parameters:
    ///   - folders: Listed first, each with a trailing slash.
    ///   - top: The folder that names are relative to; nil for plain names.
    /// - Returns: A line for each folder and file, without newline. Names are unescaped: escape them on
    ///   output.
    package static func lines(
        for files: [RemoteFile], folders: [RemotePath] = [], from top: RemotePath? = nil, now: Date
    ) -> [String] {
        func name(of path: RemotePath) -> String {
            let parents = path.components.count - 1
            return path.components.dropFirst(min(top?.components.count ?? parents, parents))
                .joined(separator: "/")
        }
        var rows = folders.map { (size: "", age: "", name: name(of: $0) + "/") }
        rows += files.map { file in
            (
                size: Wording.byteCount(file.byteCount),
                age: Wording.age(of: file.modified, at: now), name: name(of: file.path)
            )
        }
        let sizeWidth = rows.map { CellWidth.of($0.size) }.max() ?? 0
        let ageWidth = rows.map { CellWidth.of($0.age) }.max() ?? 0
        return rows.map { row in
            pad(row.size, to: sizeWidth, atStart: true) + "  "
                + pad(row.age, to: ageWidth, atStart: false) + "  " + row.name
        }
    }

    /// `12 MB`.
    package static func size(_ byteCount: Int64) -> String { Wording.byteCount(byteCount) }

    /// `45%  12 MB of 27 MB  3.1 MB/s  5 s left`.
    package static func progress(_ progress: TransferProgress) -> String {
        var parts = [
            pad("\(Int(progress.fraction * 100))%", to: 4, atStart: true),
            localized(
                "\(Wording.byteCount(progress.byteCount)) of \(Wording.byteCount(progress.expectedByteCount))"
            ),
        ]
        if let speed = progress.bytesPerSecond { parts.append(Wording.speed(speed)) }
        if let left = progress.timeLeft { parts.append(Wording.timeLeft(left)) }
        return parts.joined(separator: "  ")
    }

    /// `sea.jpg [#########      ]  45% 12 MB of 27 MB 3.1 MB/s 5 s left`; with less room, with a shorter bar,
    /// or none.
    package static func status(
        _ title: String, _ progress: TransferProgress, fitting columnCount: Int
    ) -> String {
        let title = VisibleText(title).string
        let words = self.progress(progress)
        let room = columnCount - CellWidth.of(title) - CellWidth.of(words) - 6
        let bar = room < 5 ? "" : bar(progress, columns: min(20, room)) + "  "
        return title + "  " + bar + words
    }

    /// `[#########           ]`.
    private static func bar(_ progress: TransferProgress, columns: Int) -> String {
        let full = max(0, min(columns, Int(progress.fraction * Double(columns))))
        return "[" + String(repeating: "#", count: full)
            + String(repeating: " ", count: columns - full) + "]"
    }

    private static func pad(_ text: String, to width: Int, atStart: Bool) -> String {
        let blanks = String(repeating: " ", count: max(0, width - CellWidth.of(text)))
        return atStart ? blanks + text : text + blanks
    }
}
