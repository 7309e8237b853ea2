public import Foundation

/// Malicious files that are expensive to decode.
extension Photos {
    /// A photo that starts with many markers of the same content.
    public static func withMarkers(
        _ count: Int, code: UInt8 = 0xE1, content: [UInt8] = [], in photo: Data = corners()
    ) -> Data {
        let length = content.count + 2
        let marker = [0xFF, code, UInt8(length >> 8), UInt8(length & 0xFF)] + content
        var data = photo.prefix(2)
        data.reserveCapacity(photo.count + marker.count * count)
        for _ in 0..<count { data.append(contentsOf: marker) }
        return data + photo.dropFirst(2)
    }

    /// A photo whose frame header has another size than its scans.
    public static func claiming(width: Int, height: Int, in photo: Data) -> Data {
        var data = photo
        guard
            let frame = data.firstRange(of: Data([0xFF, 0xC0]))
                ?? data.firstRange(of: Data([0xFF, 0xC2]))
        else { return photo }
        data.replaceSubrange(
            frame.lowerBound + 5..<frame.lowerBound + 9,
            with: [height >> 8, height & 0xFF, width >> 8, width & 0xFF].map { UInt8($0) })
        return data
    }

    /// A progressive photo with a claimed size, a first scan of this many bytes, and its last scan
    /// repeated.
    public static func manyScans(
        _ count: Int, width: Int, height: Int, firstScanByteCount: Int
    ) -> Data {
        let photo = claiming(
            width: width, height: height, in: wide(width: 96, height: 64, isProgressive: true))
        let scan = Data([0xFF, 0xDA])
        guard let first = photo.firstRange(of: scan),
            let second = photo[first.upperBound...].firstRange(of: scan),
            let last = photo.lastRange(of: scan)
        else { return photo }
        var data = photo[..<second.lowerBound]
        // The shortest code in any table.
        data.append(Data(repeating: 0, count: firstScanByteCount))
        for _ in 1..<count { data.append(photo[last.lowerBound..<photo.endIndex - 2]) }
        return data + [0xFF, 0xD9]
    }
}

extension Data {
    fileprivate func lastRange(of other: Data) -> Range<Index>? {
        range(of: other, options: .backwards)
    }
}
