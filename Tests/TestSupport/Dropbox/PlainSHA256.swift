/// SHA-256 according to FIPS 180-4: slow, and independent of the program.
enum PlainSHA256 {
    static func hash(of message: [UInt8]) -> [UInt8] {
        var state = initialState
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bitCount = UInt64(message.count) * 8
        bytes += stride(from: 56, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: bitCount >> $0)
        }
        for start in stride(from: 0, to: bytes.count, by: 64) {
            mix(Array(bytes[start..<start + 64]), into: &state)
        }
        return state.flatMap { word in
            stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
    }

    private static func mix(_ block: [UInt8], into state: inout [UInt32]) {
        var words = (0..<16).map { index in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[index * 4 + $1]) }
        }
        for index in 16..<64 {
            let (a, b) = (words[index - 15], words[index - 2])
            let small = turn(a, 7) ^ turn(a, 18) ^ a >> 3
            let large = turn(b, 17) ^ turn(b, 19) ^ b >> 10
            words.append(words[index - 16] &+ small &+ words[index - 7] &+ large)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let one = h &+ (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) &+ (e & f ^ ~e & g)
            let first = one &+ constants[index] &+ words[index]
            let second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    /// The first primes.
    private static let primes: [Double] = {
        var primes: [Int] = []
        var number = 2
        while primes.count < 64 {
            if primes.allSatisfy({ number % $0 != 0 }) { primes.append(number) }
            number += 1
        }
        return primes.map(Double.init)
    }()

    private static let initialState: [UInt32] = primes.prefix(8).map { fraction($0.squareRoot()) }
    private static let constants: [UInt32] = primes.map { fraction(cubeRoot($0)) }

    private static func fraction(_ value: Double) -> UInt32 {
        UInt32((value - value.rounded(.down)) * 4_294_967_296)
    }

    /// Newton's method: exact enough for 32 bits of the fraction.
    private static func cubeRoot(_ value: Double) -> Double {
        var root = value / 2
        for _ in 0..<100 { root -= (root * root * root - value) / (3 * root * root) }
        return root
    }
}
