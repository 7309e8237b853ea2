import CByteClubPictureWorker

/// What a worker does with a picture.
enum PictureTask: Sendable {
    /// Pixels that fit into a box, or all of them.
    case pixels(fitting: PixelSize?)
    /// A small file; without a mode, in the picture's own size.
    case small(PictureFile.Format, fitting: PixelSize, mode: Thumbnail.Mode?)
    /// A small file made from the thumbnail that a camera has embedded.
    case embedded(fitting: PixelSize, mode: Thumbnail.Mode, quality: Double)
    /// The photo for the club.
    case reencoding(quality: Double, keepsLocation: Bool)
    /// All pixels of a part.
    case part(PicturePart)
    /// Information about how it was taken.
    case details
    /// A task defined by a test program.
    case probe(Int)
}

extension PictureTask {
    /// The request's wire format. The strip is for the result.
    func request(stripByteCount: Int) -> byteclub_picture_request {
        var request = byteclub_picture_request()
        request.strip_byte_count = UInt64(stripByteCount)
        func set(box: PixelSize, mode: Thumbnail.Mode?) {
            request.box_width = UInt32(clamping: box.width)
            request.box_height = UInt32(clamping: box.height)
            request.mode =
                mode.flatMap { Self.modes.firstIndex(of: $0) }.map { UInt32($0 + 1) } ?? 0
        }
        switch self {
        case .pixels(let box):
            request.task = BYTECLUB_PICTURE_PIXELS.rawValue
            if let box { set(box: box, mode: .strict) }
        case .small(let format, let box, let mode):
            request.task = BYTECLUB_PICTURE_SMALL.rawValue
            set(box: box, mode: mode)
            switch format {
            case .jpeg(let quality): request.quality = quality
            case .png: request.format = 1
            }
        case .embedded(let box, let mode, let quality):
            request.task = BYTECLUB_PICTURE_EMBEDDED.rawValue
            set(box: box, mode: mode)
            request.quality = quality
        case .reencoding(let quality, let keepsLocation):
            request.task = BYTECLUB_PICTURE_REENCODE.rawValue
            request.quality = quality
            request.number = keepsLocation ? 1 : 0
        case .part(let part):
            request.task = BYTECLUB_PICTURE_PART.rawValue
            set(box: part.size, mode: nil)
            request.left = UInt32(clamping: part.left)
            request.top = UInt32(clamping: part.top)
        case .details:
            request.task = BYTECLUB_PICTURE_DETAILS.rawValue
        case .probe(let number):
            request.task = BYTECLUB_PICTURE_PROBE.rawValue
            request.number = UInt32(number)
        }
        return request
    }

    /// Nil for a request that no program of this build sends.
    init?(_ request: byteclub_picture_request) {
        let box = PixelSize(width: Int(request.box_width), height: Int(request.box_height))
        let number = Int(request.mode) - 1
        let mode = Self.modes.indices.contains(number) ? Self.modes[number] : nil
        switch byteclub_picture_task(request.task) {
        case BYTECLUB_PICTURE_PIXELS:
            self = .pixels(fitting: mode == nil ? nil : box)
        case BYTECLUB_PICTURE_SMALL:
            self = .small(
                request.format == 1 ? .png : .jpeg(quality: request.quality), fitting: box,
                mode: mode)
        case BYTECLUB_PICTURE_EMBEDDED:
            self = .embedded(fitting: box, mode: mode ?? .strict, quality: request.quality)
        case BYTECLUB_PICTURE_REENCODE:
            self = .reencoding(quality: request.quality, keepsLocation: request.number == 1)
        case BYTECLUB_PICTURE_PART:
            self = .part(
                PicturePart(left: Int(request.left), top: Int(request.top), size: box))
        case BYTECLUB_PICTURE_DETAILS:
            self = .details
        case BYTECLUB_PICTURE_PROBE:
            self = .probe(Int(request.number))
        default: return nil
        }
    }

    private static let modes: [Thumbnail.Mode] = [.strict, .bestFit, .fitOneBestFit]

    /// The size of the result for a picture of the given displayed size.
    func size(of picture: PixelSize) -> PixelSize {
        switch self {
        case .pixels(let box): box.map { picture.fitted(in: $0) } ?? picture
        case .small(_, let box, let mode): mode?.size(of: picture, in: box) ?? picture
        case .embedded(let box, let mode, _): mode.size(of: picture, in: box)
        case .part(let part): part.size
        case .details: PixelSize(width: 1, height: 1)
        case .reencoding, .probe: picture
        }
    }
}
