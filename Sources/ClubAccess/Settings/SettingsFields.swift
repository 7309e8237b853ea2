internal import ByteClubMessages

/// The values of one mapping, removed by name; any left at the end are unknown.
struct SettingsFields {
    /// The owner of the values, as part of a sentence: `the editor`.
    let owner: String
    let ownLine: Int
    private var values: [String: YAMLNode] = [:]
    /// In the file's order, with their line numbers.
    private var names: [(name: String, line: Int)] = []
    private(set) var problems: [Settings.Problem] = []
    private var known: Set<String> = []

    init(_ pairs: [(key: YAMLNode, value: YAMLNode)], of owner: String, line: Int) {
        self.owner = owner
        ownLine = line
        for (key, value) in pairs {
            guard let name = key.scalar else {
                report(key.line, localized("A setting's name must be a word."))
                continue
            }
            if values[name] == nil {
                values[name] = value
                names.append((name, key.line))
            } else {
                report(
                    key.line,
                    localized("“\(name)” of \(owner) is there twice; the first one counts."))
            }
        }
    }

    mutating func report(_ line: Int, _ sentence: String) {
        problems.append(Settings.Problem(line: line, sentence: sentence))
    }

    func line(of name: String) -> Int { values[name]?.line ?? ownLine }

    /// Nil if missing or not a text; the latter is reported.
    mutating func text(_ name: String) -> String? {
        known.insert(name)
        guard let value = values[name], !value.isNull else { return nil }
        guard let text = value.scalar else {
            report(value.line, localized("“\(name)” of \(owner) must be a single value."))
            return nil
        }
        return text
    }

    mutating func reportUnknown() {
        for (name, line) in names where !known.contains(name) {
            report(line, localized("“\(name)” is not a setting of \(owner)."))
        }
    }

    /// A YAML boolean.
    mutating func flag(_ name: String) -> Bool? {
        value(name, \.flag, mustBe: localized("on or off"))
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        value(
            name, { $0.scalar.flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil } },
            mustBe: localized("a whole number from \(range.lowerBound) to \(range.upperBound)"))
    }

    mutating func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
        value(
            name, { $0.scalar.flatMap { Double($0) }.flatMap { range.contains($0) ? $0 : nil } },
            mustBe: localized("a number from \(range.lowerBound) to \(range.upperBound)"))
    }

    /// - Parameter read: Nil for a value that is not allowed.
    mutating func value<Value>(
        _ name: String, _ read: (YAMLNode) -> Value?, mustBe demand: String
    ) -> Value? {
        known.insert(name)
        guard let node = values[name], !node.isNull else { return nil }
        guard let value = read(node) else {
            report(node.line, localized("“\(name)” of \(owner) must be \(demand)."))
            return nil
        }
        return value
    }
}

extension Settings {
    /// Reads a section that must be a mapping of scalars; any other is reported.
    ///
    /// - Parameter owner: The owner of the values, as part of a sentence: `the editor`.
    mutating func readFields(
        of node: YAMLNode, _ owner: String, _ read: (inout SettingsFields) -> Void
    ) {
        if node.isNull { return }
        guard let pairs = node.pairs else {
            report(
                node.line,
                localized(
                    "The settings of \(owner) must be names, each with a value after a colon."))
            return
        }
        var fields = SettingsFields(pairs, of: owner, line: node.line)
        read(&fields)
        if !isNewer { fields.reportUnknown() }
        problems += fields.problems
    }
}
