/// Header fields in the order in which they were set, with case-insensitive names.
///
/// Names are unique: setting a field again replaces its value in place and keeps the new spelling. Lookup
/// takes constant time, removal linear time.
struct HTTPHeaderFields: Sendable {
    private(set) var fields: [Field] = []
    /// The position of each field by its name in lower case; empty while there are few fields, because a
    /// linear search is faster then.
    private var positions: [[UInt8]: Int] = [:]

    /// Whether there ever was a field, or none on purpose. Makes no difference in comparisons.
    private(set) var wereSet = false

    private static let fewCount = 32

    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    init() {}

    init(_ dictionary: [String: String]) {
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { self[name] = value }
        wereSet = true
    }

    var isEmpty: Bool { fields.isEmpty }

    var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    /// The value of a field. Setting nil removes the field.
    subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): fields[index] = Field(name: name, value: value)
            case (let index?, nil): remove(at: index)
            case (nil, let value?): append(Field(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Appends a value to a field, after a comma if the field exists (RFC 9110 §5.3). The first spelling of
    /// the name is kept.
    mutating func add(_ value: String, for name: String) {
        if let index = index(of: name) {
            fields[index].value += ", " + value
        } else {
            append(Field(name: name, value: value))
        }
    }

    /// Appends text to a field's value, after a space if the field exists.
    mutating func extend(_ name: String, by text: String) {
        guard let index = index(of: name) else { return }
        let isEmpty = fields[index].value.isEmpty
        fields[index].value += isEmpty ? text : " " + text
    }

    /// Adds each field of `other` that does not exist here.
    mutating func fill(from other: HTTPHeaderFields) {
        for field in other.fields where self[field.name] == nil {
            self[field.name] = field.value
        }
    }

    /// The spelling of a field's name; nil if the field does not exist.
    func spelling(of name: String) -> String? {
        index(of: name).map { fields[$0].name }
    }

    private func index(of name: String) -> Int? {
        guard positions.isEmpty else { return positions[Self.key(name)] }
        return fields.firstIndex { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    private mutating func append(_ field: Field) {
        wereSet = true
        fields.append(field)
        if positions.isEmpty {
            notePositions()
        } else {
            positions[Self.key(field.name)] = fields.count - 1
        }
    }

    private mutating func remove(at index: Int) {
        fields.remove(at: index)
        positions = [:]
        notePositions()
    }

    private mutating func notePositions() {
        guard fields.count > Self.fewCount else { return }
        for (index, field) in fields.enumerated() { positions[Self.key(field.name)] = index }
    }

    private static func key(_ name: String) -> [UInt8] { name.utf8.map(\.asciiLowercased) }
}

/// Equal if they have the same values, whatever the order and the spelling of their names.
extension HTTPHeaderFields: Hashable {
    static func == (one: HTTPHeaderFields, other: HTTPHeaderFields) -> Bool {
        one.fields == other.fields
            || one.fields.count == other.fields.count
                && one.fields.allSatisfy { other[$0.name] == $0.value }
    }

    func hash(into hasher: inout Hasher) {
        // The order must not matter.
        hasher.combine(fields.reduce(0) { $0 ^ Self.hash(of: $1) })
    }

    private static func hash(of field: Field) -> Int {
        var hasher = Hasher()
        hasher.combine(key(field.name))
        hasher.combine(field.value)
        return hasher.finalize()
    }
}

extension StringProtocol {
    /// Whether two field names or schemes are equal in HTTP, which ignores the case of ASCII letters only.
    func isEqualIgnoringASCIICase(to other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count
            && utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
