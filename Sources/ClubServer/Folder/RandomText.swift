/// Unguessable text: identifiers, session names, tokens.
enum RandomText {
    /// - Returns: Two digits per byte.
    static func hexadecimal(byteCount: Int) -> String {
        bytes(byteCount).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0" + digits : digits
        }.joined()
    }

    static func base64URL(byteCount: Int) -> String {
        Base64URL.encode(bytes(byteCount))
    }

    /// The system's generator is `getrandom`, suitable for secrets.
    private static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
