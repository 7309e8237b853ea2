import TextEditing

/// Lays out nested blocks as lines.
struct BlockLayout {
    /// With fewer columns nothing is indented.
    private static let leastWidth = 8

    var room = PictureRoom()

    func lines(_ blocks: [WebBlock], width: Int) -> [WebLine] {
        var lines: [WebLine] = []
        var anchors: [String] = []
        var before: WebBlock?
        for block in blocks {
            if case .anchor(let name) = block {
                anchors.append(name)
                continue
            }
            var more = self.lines(block, width: width)
            guard !more.isEmpty else { continue }
            more[0].anchors += anchors
            anchors = []
            if before != nil { lines.append(WebLine()) }
            before = block
            lines += more
        }
        if !anchors.isEmpty {
            if lines.isEmpty { lines.append(WebLine()) }
            lines[lines.count - 1].anchors += anchors
        }
        return lines
    }

    private func lines(_ block: WebBlock, width: Int) -> [WebLine] {
        switch block {
        case .anchor: []
        case .heading(let level, let runs): heading(runs, level: level, width: width)
        case .paragraph(let runs): paragraph(runs, width: width)
        case .preformatted(let runs):
            LineWrapper.cut(runs.map { $0.adding(.code) }, width: width, room)
        case .rule: [WebLine([WebRun(String(repeating: "─", count: width), .border)])]
        case .quotation(let blocks): quotation(blocks, width: width)
        case .list(let items): list(items, width: width)
        case .table(let table): TableLayout(blocks: self).lines(table, width: width)
        }
    }

    /// Empty if it only contains a picture that is not available.
    private func paragraph(_ runs: [WebRun], width: Int) -> [WebLine] {
        let lines = LineWrapper.wrap(runs, width: width, room)
        return lines.count == 1 && lines[0].spans.isEmpty ? [] : lines
    }

    private func heading(_ runs: [WebRun], level: Int, width: Int) -> [WebLine] {
        let lines = LineWrapper.wrap(runs.map { $0.adding(.heading) }, width: width, room)
        guard level == 1 else { return lines }
        let widest = lines.map { CellWidth.of($0.text) }.max() ?? 0
        return lines + [WebLine([WebRun(String(repeating: "═", count: widest), .border)])]
    }

    private func quotation(_ blocks: [WebBlock], width: Int) -> [WebLine] {
        guard width > Self.leastWidth else { return lines(blocks, width: width) }
        return lines(blocks, width: width - 2).map { $0.prefixed(by: [WebRun("│ ", .border)]) }
    }

    private func list(_ items: [WebListItem], width: Int) -> [WebLine] {
        let markerWidth = items.map { CellWidth.of($0.marker) }.max() ?? 0
        var indent = markerWidth == 0 ? 4 : markerWidth + 1
        if width - indent < Self.leastWidth { indent = min(indent, markerWidth + 1) }
        guard width - indent >= 4 else { return lines(items.flatMap(\.blocks), width: width) }
        // A list of single lines has no empty lines.
        let isTight = items.allSatisfy { item in
            item.blocks.allSatisfy { block in
                switch block {
                case .paragraph, .anchor, .list: true
                default: false
                }
            }
        }
        var lines: [WebLine] = []
        for item in items {
            var inner =
                isTight
                ? close(item.blocks, width: width - indent)
                : self.lines(item.blocks, width: width - indent)
            if inner.isEmpty { inner = [WebLine()] }
            if !isTight, !lines.isEmpty { lines.append(WebLine()) }
            let space = String(repeating: " ", count: indent)
            for (index, line) in inner.enumerated() {
                guard index == 0, !item.marker.isEmpty else {
                    lines.append(line.spans.isEmpty ? line : line.prefixed(by: [WebRun(space)]))
                    continue
                }
                let lead = String(
                    repeating: " ", count: markerWidth - CellWidth.of(item.marker))
                lines.append(line.prefixed(by: [WebRun(lead + item.marker + " ", .marker)]))
            }
        }
        return lines
    }

    /// Blocks without empty lines between them.
    private func close(_ blocks: [WebBlock], width: Int) -> [WebLine] {
        lines(blocks, width: width).filter { !$0.spans.isEmpty || !$0.anchors.isEmpty }
    }
}

extension WebRun {
    func adding(_ more: WebTextLook) -> WebRun {
        WebRun(text, look.union(more), link: link, picture: picture)
    }
}
