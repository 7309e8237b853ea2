public import FoundationEssentials

/// JSON in the wire format.
public enum WireJSON {
    /// Encodes for a body: UTF-8, keys sorted so that equal values give equal bytes.
    public static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Encodes for a header (`Dropbox-API-Arg`, `Dropbox-API-Result`): escapes 0x7F and everything
    /// beyond ASCII as `\uXXXX`, in UTF-16 pairs above U+FFFF.
    ///
    /// See <https://www.dropbox.com/developers/reference/json-encoding>.
    public static func encodeForHeader(_ value: some Encodable) throws -> String {
        headerSafe(String(decoding: try encode(value), as: UTF8.self))
    }

    /// Escapes what a header cannot contain; `json` must be JSON, where such characters occur
    /// inside strings only.
    public static func headerSafe(_ json: String) -> String {
        if json.utf8.allSatisfy({ $0 < 0x7F }) { return json }
        var result = ""
        result.reserveCapacity(json.utf8.count * 2)
        for unit in json.utf16 {
            if unit < 0x7F {
                result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            } else {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    /// Decodes a result or an error, ignoring unknown fields.
    public static func decode<Value: Decodable>(
        _: Value.Type = Value.self, from data: Data
    ) throws -> Value {
        try JSONDecoder().decode(Value.self, from: data)
    }

    /// Decodes the argument of a call as strictly as Dropbox does.
    public static func decodeArgument<Argument: Decodable>(
        _: Argument.Type = Argument.self, from data: Data
    ) throws(ArgumentError) -> Argument {
        do {
            return try JSONDecoder().decode(Argument.self, from: data)
        } catch {
            throw ArgumentError(error)
        }
    }
}
