/// A text for people that can be said in several languages.
///
/// The English words in the code are both the default and the name under which a catalog has the
/// translation, as with gettext. Values among the words are numbered: `"“\(name)” is \(age) old."` is
/// `“{1}” is {2} old.` in a catalog, where a translation may put them in another order. Control characters in
/// values are made visible, as they are where text is drawn: a value is part of one sentence.
///
/// ```swift
/// showMessage(localized("Copied the text of “\(note.name)”."))
/// ```
package struct Message: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// In English.
    package let text: String
    /// What catalogs call it.
    package let key: String
    /// The values, in the order of the English words.
    package let arguments: [String]

    package init(stringLiteral value: String) {
        (text, key, arguments) = (value, value, [])
    }

    package init(stringInterpolation words: StringInterpolation) {
        (text, key, arguments) = (words.text, words.key, words.arguments)
    }

    fileprivate init(text: String, key: String, arguments: [String]) {
        (self.text, self.key, self.arguments) = (text, key, arguments)
    }

    /// One message in two lines of code. The values of the second are numbered after those of the first.
    package static func + (first: Message, second: Message) -> Message {
        var key = first.key
        let shift = first.arguments.count
        if shift == 0 || second.arguments.isEmpty {
            key += second.key
        } else {
            let numbers = (1...second.arguments.count).map { "{\($0 + shift)}" }
            key += Placeholders.fill(second.key, with: numbers)
        }
        return Message(
            text: first.text + second.text, key: key,
            arguments: first.arguments + second.arguments)
    }

    /// Collects the words and the values.
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""
        fileprivate var key = ""
        fileprivate var arguments: [String] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 12)
            key.reserveCapacity(literalCapacity + interpolationCount * 3)
        }

        package mutating func appendLiteral(_ words: String) {
            text += words
            key += words
        }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let words = value.description.withVisibleControls
            arguments.append(words)
            text += words
            key += "{\(arguments.count)}"
        }
    }
}

extension String {
    /// Control characters in caret notation: a name with a line break in it must not break the sentence
    /// that it stands in.
    fileprivate var withVisibleControls: String {
        func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
        guard utf8.contains(where: isControl) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isASCII, isControl(UInt8(scalar.value)) {
                result.append("^")
                result.append(Unicode.Scalar(UInt8(scalar.value) ^ 0x40))
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}

/// The numbered places of values in a message: `{1}`, `{2}`.
enum Placeholders {
    /// A text with its places filled. Numbers without a value stay as they are.
    static func fill(_ text: String, with values: [String]) -> String {
        guard !values.isEmpty else { return text }
        var result = ""
        result.reserveCapacity(text.utf8.count + values.reduce(0) { $0 + $1.utf8.count })
        var rest = text.utf8[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
            let digits = rest[rest.index(after: open)...].prefix { (0x30...0x39).contains($0) }
            guard let number = Int(Substring(digits)), values.indices.contains(number - 1),
                digits.endIndex < rest.endIndex, rest[digits.endIndex] == UInt8(ascii: "}")
            else {
                let next = rest.index(after: open)
                result += Substring(rest[..<next])
                rest = rest[next...]
                continue
            }
            result += Substring(rest[..<open])
            result += values[number - 1]
            rest = rest[rest.index(after: digits.endIndex)...]
        }
        return result + Substring(rest)
    }
}
