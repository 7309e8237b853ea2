/// Where a caret can go.
public enum TextMotion: Sendable, Hashable {
    case left
    case right
    case wordLeft
    case wordRight
    /// Rows up (negative) or down, keeping the column.
    case rows(Int)
    /// The beginning of the row; from there, the beginning of the line.
    case rowStart
    /// The end of the row; from there, the end of the line.
    case rowEnd
    case lineStart
    case lineEnd
    case textStart
    case textEnd
}

extension TextEditor {
    /// Moves the caret, or the selection's end.
    ///
    /// Left and right without extending first give up a selection at that side of it.
    public mutating func move(_ motion: TextMotion, extending: Bool = false) {
        if !extending, !selection.isEmpty {
            switch motion {
            case .left: return placeCaret(at: selection.range.lowerBound)
            case .right: return placeCaret(at: selection.range.upperBound)
            default: break
            }
        }
        switch motion {
        case .rows(let count): moveRows(count, extending: extending)
        case .rowEnd: moveToRowEnd(extending: extending)
        default: placeCaret(at: target(of: motion), extending: extending)
        }
    }

    /// Where a motion leads from the caret.
    mutating func target(of motion: TextMotion, crossingLines: Bool = true) -> Int {
        switch motion {
        case .left: return text.clusterStart(before: caret)
        case .right: return text.clusterEnd(after: caret)
        case .wordLeft: return text.wordStart(before: caret, crossingLines: crossingLines)
        case .wordRight: return text.wordEnd(after: caret, crossingLines: crossingLines)
        case .rowStart:
            let start = caretRow.range.lowerBound
            return start < caret ? start : text.start(ofLine: text.line(at: caret))
        case .lineStart: return text.start(ofLine: text.line(at: caret))
        case .rowEnd: return caretRow.range.upperBound
        case .lineEnd: return text.range(ofLine: text.line(at: caret)).upperBound
        case .rows, .textStart: return 0
        case .textEnd: return text.count
        }
    }
}

private extension TextEditor {
    mutating func moveRows(_ count: Int, extending: Bool) {
        let goal = aimedColumn()
        var row = caretRow
        var left = abs(count)
        while left > 0 {
            let next =
                count < 0
                ? layout.row(before: row, in: text) : layout.row(after: row, in: text)
            guard let next else { break }
            row = next
            left -= 1
        }
        if left == abs(count), left > 0 {
            // No row there: the text's end is as far as one can go.
            placeCaret(
                at: count < 0 ? 0 : text.count, extending: extending, keepingGoal: true)
            return
        }
        placeCaret(
            at: layout.offset(atColumn: goal, in: row, of: text), extending: extending,
            keepingGoal: true)
    }

    mutating func moveToRowEnd(extending: Bool) {
        let row = caretRow
        let line = text.range(ofLine: row.line)
        guard !row.isLastOfLine else {
            return placeCaret(at: line.upperBound, extending: extending)
        }
        // The caret goes before the space the row was broken at; a broken word has none.
        let isSpace = [0x20, 0x09].contains(text[row.range.upperBound - 1])
        let end = isSpace ? row.range.upperBound - 1 : row.range.upperBound
        if caret == end, isSpace || affinity == .upstream {
            placeCaret(at: line.upperBound, extending: extending)
        } else {
            placeCaret(
                at: end, extending: extending, affinity: isSpace ? .downstream : .upstream)
        }
    }
}
