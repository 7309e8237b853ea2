/// Header fields in the order they were set, found by name whatever its case.
///
/// A name appears once: setting it again replaces the value in place and keeps the new spelling. Finding
/// a field takes as long whatever their number, removing one grows with it.
struct HTTPHeaderFields: Sendable {
    private(set) var fields: [Field] = []
    /// Where each field is, by its name in lower case; empty while there are few, which are found sooner by
    /// looking at each.
    private var positions: [[UInt8]: Int] = [:]

    private static let fewCount = 32

    struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    init() {}

    init(_ dictionary: [String: String]) {
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { self[name] = value }
    }

    var isEmpty: Bool { fields.isEmpty }

    var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { _, last in last })
    }

    /// The value of a field; nil removes it.
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

    /// Adds a value to a field, after a comma when the field has one already (RFC 9110 §5.3). Its name
    /// keeps the spelling it came in first.
    mutating func add(_ value: String, for name: String) {
        if let index = index(of: name) {
            fields[index].value += ", " + value
        } else {
            append(Field(name: name, value: value))
        }
    }

    /// Adds text to a field's value, after a space when it has one already.
    mutating func extend(_ name: String, by text: String) {
        guard let index = index(of: name) else { return }
        let isEmpty = fields[index].value.isEmpty
        fields[index].value += isEmpty ? text : " " + text
    }

    /// Takes over each field of `other` whose name is not here yet.
    mutating func fill(from other: HTTPHeaderFields) {
        for field in other.fields where self[field.name] == nil {
            self[field.name] = field.value
        }
    }

    /// How a field is spelled here; nil when it is not here.
    func spelling(of name: String) -> String? {
        index(of: name).map { fields[$0].name }
    }

    private func index(of name: String) -> Int? {
        guard positions.isEmpty else { return positions[Self.key(name)] }
        return fields.firstIndex { $0.name.isEqualIgnoringASCIICase(to: name) }
    }

    private mutating func append(_ field: Field) {
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

extension HTTPHeaderFields: Hashable {
    static func == (one: HTTPHeaderFields, other: HTTPHeaderFields) -> Bool {
        one.fields == other.fields
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(fields)
    }
}

extension StringProtocol {
    /// Whether two header names or schemes are the same to HTTP, which knows only ASCII case.
    func isEqualIgnoringASCIICase(to other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count
            && utf8.elementsEqual(other.utf8) { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    var asciiLowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
