/// A character reference by name, as `&check;`, written as libxml2 knows it: by number.
///
/// Source: HTML standard, 13.2.5.73 (named character reference state).
struct NamedReference {
    /// In ASCII, as `&#x2713;`.
    let number: [UInt8]
    /// In bytes after the `&`, with the semicolon.
    let nameLength: Int

    /// - Parameter rest: What follows the `&`.
    /// - Returns: nil if no name begins there.
    init?(after rest: ArraySlice<UInt8>, inAttribute: Bool) {
        let name = rest.prefix(Self.lengthLimit).prefix(while: TagTrimmer.isAlphanumeric)
        let next = rest.dropFirst(name.count).first
        if next == UInt8(ascii: ";"), let number = Self.numbers[Array(name) + [UInt8(ascii: ";")]] {
            self.number = number
            nameLength = name.count + 1
            return
        }
        // `?a=1&copy=2` is an address.
        if inAttribute, next == UInt8(ascii: "=") { return nil }
        let lengths = inAttribute ? name.count...name.count : 0...name.count
        for length in lengths.reversed() where length > 1 && length <= Self.shortLengthLimit {
            guard let number = Self.numbers[Array(name.prefix(length))] else { continue }
            self.number = number
            nameLength = length
            return
        }
        return nil
    }

    private static let lengthLimit = 32

    /// The longest name that may lack its semicolon.
    private static let shortLengthLimit = 6

    private static let numbers: [[UInt8]: [UInt8]] = {
        var numbers: [[UInt8]: [UInt8]] = [:]
        for row in NamedCharacters.table.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = row.split(separator: UInt8(ascii: " "))
            guard parts.count == 2 else { continue }
            numbers[Array(parts[0])] = parts[1].split(separator: UInt8(ascii: "+"))
                .flatMap { Array("&#x".utf8) + $0 + [UInt8(ascii: ";")] }
        }
        return numbers
    }()
}
