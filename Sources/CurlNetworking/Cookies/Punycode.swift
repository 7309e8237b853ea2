/// The ASCII spelling of internationalized names (RFC 3492).
enum Punycode {
    private static let base = 36
    private static let tMin = 1
    private static let tMax = 26

    /// Returns nil if the name is too long.
    static func encode(_ label: some StringProtocol) -> String? {
        let scalars = label.unicodeScalars.map { Int($0.value) }
        var output = scalars.filter { $0 < 0x80 }.map(UInt8.init)
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append(UInt8(ascii: "-")) }
        var next = 0x80
        var delta = 0
        var bias = 72
        while handled < scalars.count {
            guard let smallest = scalars.filter({ $0 >= next }).min() else { return nil }
            let (step, overflow) = (smallest - next).multipliedReportingOverflow(by: handled + 1)
            guard !overflow, step < Int(Int32.max) else { return nil }
            delta += step
            next = smallest
            for scalar in scalars {
                if scalar < next { delta += 1 }
                if scalar == next {
                    append(delta, bias: bias, to: &output)
                    bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                    delta = 0
                    handled += 1
                }
            }
            delta += 1
            next += 1
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ delta: Int, bias: Int, to output: inout [UInt8]) {
        var rest = delta
        var k = base
        while true {
            let threshold = min(max(k - bias, tMin), tMax)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            k += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26)
    }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k = 0
        while delta > (base - tMin) * tMax / 2 {
            delta /= base - tMin
            k += base
        }
        return k + (base - tMin + 1) * delta / (delta + 38)
    }
}
