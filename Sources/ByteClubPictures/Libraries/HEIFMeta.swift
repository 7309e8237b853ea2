import FoundationEssentials

/// The `meta` box of a HEIF file: its items with their ranges and properties.
struct HEIFMeta {
    private var primary: Int?
    /// The type of an item, with the content type if there is one.
    private var types: [Int: (type: String, content: String)] = [:]
    private var places: [Int: Range<Int>] = [:]
    private var properties: [ISOBox] = []
    private var propertiesOfPrimary: [Int] = []

    /// - Parameter position: The offset of the box's content in the file.
    init(_ content: [UInt8], at position: Int) {
        let boxes = ISOBox.all(in: content.dropFirst(4))
        let data = boxes.first { $0.type == "idat" }
        for box in boxes {
            switch box.type {
            case "pitm": readPrimary(box.content)
            case "iinf": readTypes(box.content)
            default: break
            }
        }
        for box in boxes {
            switch box.type {
            case "iloc":
                readPlaces(box.content, data: data.map { position + $0.content.startIndex })
            case "iprp": readProperties(box.content)
            default: break
            }
        }
    }

    private mutating func readPrimary(_ content: ArraySlice<UInt8>) {
        var fields = BoxFields(content)
        guard let version = fields.versionAndFlags()?.version else { return }
        primary = fields.number(version == 0 ? 2 : 4)
    }

    private mutating func readTypes(_ content: ArraySlice<UInt8>) {
        var fields = BoxFields(content)
        guard let version = fields.versionAndFlags()?.version,
            fields.number(version == 0 ? 2 : 4) != nil
        else { return }
        for box in ISOBox.all(in: fields.rest) where box.type == "infe" {
            var fields = BoxFields(box.content)
            guard let version = fields.versionAndFlags()?.version, version >= 2,
                let item = fields.number(version == 2 ? 2 : 4), fields.number(2) != nil,
                fields.rest.count >= 4
            else { continue }
            // The type is followed by a name and the content type, both null-terminated.
            let words = fields.rest.dropFirst(4).split(
                separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            types[item] = (
                String(decoding: fields.rest.prefix(4), as: UTF8.self),
                words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
            )
        }
    }

    /// Only items in one piece; the library reads those of the picture itself.
    private mutating func readPlaces(_ content: ArraySlice<UInt8>, data: Int?) {
        var fields = BoxFields(content)
        guard let version = fields.versionAndFlags()?.version, version <= 2,
            let sizes = fields.number(2), let count = fields.number(version < 2 ? 2 : 4)
        else { return }
        let offsetCount = sizes >> 12
        let lengthCount = sizes >> 8 & 15
        let baseCount = sizes >> 4 & 15
        let indexCount = version == 0 ? 0 : sizes & 15
        guard [offsetCount, lengthCount, baseCount, indexCount].allSatisfy({ $0 <= 8 }) else {
            return
        }
        for _ in 0..<count {
            guard let item = fields.number(version < 2 ? 2 : 4),
                let method = version == 0 ? 0 : fields.number(2), fields.number(2) != nil,
                let base = fields.number(baseCount), let extentCount = fields.number(2),
                // Pieces of no bytes would cost time without end.
                extentCount <= 1 || indexCount + offsetCount + lengthCount > 0
            else { return }
            for index in 0..<extentCount {
                guard fields.number(indexCount) != nil, let offset = fields.number(offsetCount),
                    let length = fields.number(lengthCount)
                else { return }
                let origin = method & 15 == 0 ? 0 : method & 15 == 1 ? data : nil
                guard index == 0, extentCount == 1, let origin, length > 0 else { continue }
                places[item] = origin + base + offset..<origin + base + offset + length
            }
        }
    }

    /// A main picture has about ten.
    private static let propertyLimit = 256

    private mutating func readProperties(_ content: ArraySlice<UInt8>) {
        let boxes = ISOBox.all(in: content)
        properties = boxes.first { $0.type == "ipco" }.map { ISOBox.all(in: $0.content) } ?? []
        for box in boxes where box.type == "ipma" {
            var fields = BoxFields(box.content)
            guard let (version, flags) = fields.versionAndFlags(), let count = fields.number(4)
            else { continue }
            for _ in 0..<count {
                guard let item = fields.number(version < 1 ? 2 : 4),
                    let associationCount = fields.number(1)
                else { break }
                for _ in 0..<associationCount {
                    guard let word = fields.number(flags & 1 == 0 ? 1 : 2) else { break }
                    let index = word & (flags & 1 == 0 ? 0x7F : 0x7FFF)
                    if item == primary, index > 0, propertiesOfPrimary.count < Self.propertyLimit {
                        propertiesOfPrimary.append(index - 1)
                    }
                }
            }
        }
    }

    /// - Throws: `.damaged` if there is no main picture or it has no size.
    func head(of bytes: PictureBytes, to operation: String) throws(PictureError) -> ContainerHead {
        guard primary != nil else {
            throw PictureError(.damaged, operation: operation, detail: "no main picture")
        }
        var size: PixelSize?
        var profile: Data?
        for index in propertiesOfPrimary where properties.indices.contains(index) {
            let content = properties[index].content
            var fields = BoxFields(content)
            switch properties[index].type {
            case "ispe":
                guard fields.number(4) != nil, let width = fields.number(4),
                    let height = fields.number(4)
                else { continue }
                size = PixelSize(width: width, height: height)
            case "clap":
                // The cropped size: two fractions.
                guard let width = fields.number(4), let widthPart = fields.number(4),
                    let height = fields.number(4), let heightPart = fields.number(4),
                    widthPart > 0, heightPart > 0, let whole = size
                else { continue }
                size = PixelSize(
                    width: min(whole.width, max(1, width / widthPart)),
                    height: min(whole.height, max(1, height / heightPart)))
            case "irot":
                // Quarter turns.
                guard let angle = fields.number(1), angle & 1 == 1 else { continue }
                size = size?.transposed
            case "colr":
                let kind = content.prefix(4)
                guard kind.elementsEqual("prof".utf8) || kind.elementsEqual("rICC".utf8),
                    content.count <= PictureLimits.profileByteCount
                else { continue }
                profile = Data(content.dropFirst(4))
            default: continue
            }
        }
        guard let size else {
            throw PictureError(.damaged, operation: operation, detail: "no size")
        }
        var head = ContainerHead(storedSize: size)
        head.profile = profile
        if let place = place(of: "Exif"), place.count > 4 {
            // It begins with the offset of the TIFF header after these four bytes.
            let content = try Self.content(of: bytes, place, to: operation)
            let skipped = min(content.count, 4 + ISOBox.number(content.prefix(4)))
            if skipped <= content.count, skipped < 64 {
                head.set(exif: Array(content[skipped...]), at: place.lowerBound + skipped)
            }
        }
        if let place = place(of: "mime", content: "application/rdf+xml") {
            head.set(xmp: try Self.content(of: bytes, place, to: operation))
        }
        return head
    }

    private func place(of type: String, content: String? = nil) -> Range<Int>? {
        types.filter { $0.value.type == type && (content == nil || $0.value.content == content) }
            .keys.sorted().lazy.compactMap { places[$0] }.first {
                $0.count <= ContainerHead.metadataByteLimit
                    && $0.upperBound <= PictureLimits.fileByteCount
            }
    }

    private static func content(
        of bytes: PictureBytes, _ place: Range<Int>, to operation: String
    ) throws(PictureError) -> [UInt8] {
        var reader = PictureByteReader(bytes, from: place.lowerBound, to: operation)
        return try reader.bytes(place.count)
    }
}
