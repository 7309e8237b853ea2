public import Foundation

/// Files that somebody has made to cost their reader dearly.
extension Photos {
    /// A photo with markers before everything else, all of the same content.
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

    /// A photo whose frame header says another size than its scans have.
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

    /// A progressive photo that claims a size, with as many bytes in its first scan as are asked for,
    /// and with its last scan again and again.
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
        // Code of the shortest kind, whatever the table says.
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
