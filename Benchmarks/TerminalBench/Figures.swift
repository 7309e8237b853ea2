import Foundation

/// Numbers of one kind, in the order they were taken.
struct Sample {
    var values: [Double] = []

    mutating func add(_ duration: Duration) { values.append(duration / .milliseconds(1)) }

    func quantile(_ part: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int((Double(sorted.count) * part).rounded(.down)))]
    }

    var median: Double { quantile(0.5) }
    var largest: Double { values.max() ?? .nan }
}

/// A table for people: columns of equal width, and it is Markdown too.
struct Table {
    let title: String
    let columns: [String]
    private var rows: [[String]] = []

    init(_ title: String, _ columns: [String]) {
        self.title = title
        self.columns = columns
    }

    mutating func add(_ cells: String...) { rows.append(cells) }

    var text: String {
        let widths = columns.indices.map { index in
            ([columns] + rows).map { $0[index].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            "| "
                + zip(cells, widths).enumerated().map { index, cell in
                    let padding = String(repeating: " ", count: cell.1 - cell.0.count)
                    return index == 0 ? cell.0 + padding : padding + cell.0
                }.joined(separator: " | ") + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|")
        return "\(title)\n\n\(line(columns))\n\(rule)|\n" + rows.map(line).joined(separator: "\n")
            + "\n"
    }
}

extension Double {
    /// Three digits that matter, or a dash for what was not measured.
    var short: String {
        guard isFinite else { return "–" }
        return switch abs(self) {
        case 100...: String(format: "%.0f", self)
        case 10...: String(format: "%.1f", self)
        default: String(format: "%.2f", self)
        }
    }

    /// How many times another number this is: `2.1×`.
    func ratio(to other: Double) -> String {
        guard isFinite, other.isFinite, other > 0 else { return "–" }
        return (self / other).short + "×"
    }
}
