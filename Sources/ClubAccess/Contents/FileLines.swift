package import ClubStore
package import FoundationEssentials
internal import Messages
internal import TextEditing

/// Files as lines of plain text: size, age, name.
package enum FileLines {
    /// - Parameters:
    ///   - folders: They come first, each with a slash behind its name.
    ///   - top: The folder that names begin at; nil for the names alone.
    /// - Returns: A line for each folder and file, without its end. Names are as they came: write them by a door that
    ///   makes them visible.
    package static func lines(
        for files: [RemoteFile], folders: [RemotePath] = [], from top: RemotePath? = nil, now: Date
    ) -> [String] {
        var rows = folders.map { (size: "", age: "", name: $0.name + "/") }
        rows += files.map { file in
            let parents = file.path.components.count - 1
            let names = file.path.components.dropFirst(
                min(top?.components.count ?? parents, parents))
            return (
                size: Wording.byteCount(file.byteCount),
                age: Wording.age(of: file.modified, at: now), name: names.joined(separator: "/")
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

    /// `sea.jpg  [#########           ]   45%  12 MB of 27 MB  3.1 MB/s  5 s left`; where there is less room, with a
    /// shorter bar, or none.
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
