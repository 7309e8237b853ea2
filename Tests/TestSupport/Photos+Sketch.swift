import CByteClubTurboJPEG
import Foundation

/// Describes a JPEG, and encodes it with libjpeg.
struct JPEGSketch {
    enum Format {
        case grey, rgb, cmyk, ycck

        var componentCount: Int {
            switch self {
            case .grey: 1
            case .rgb: 3
            case .cmyk, .ycck: 4
            }
        }

        var colorSpace: J_COLOR_SPACE {
            switch self {
            case .grey: JCS_GRAYSCALE
            case .rgb: JCS_RGB
            case .cmyk, .ycck: JCS_CMYK
            }
        }
    }

    var width: Int
    var height: Int
    var format: Format
    var quality = 90
    var isProgressive = false
    var keepsChroma = false
    /// The content of an APP1 marker.
    var exif: [UInt8]?
    var profile: Data?

    init(width: Int, height: Int, format: Format) {
        self.width = width
        self.height = height
        self.format = format
    }

    /// Encodes the rows that a function gives by number.
    func encode(_ row: (Int) -> [UInt8]) -> Data {
        encode { encoder in
            for index in 0..<height {
                Self.expect(byteclub_jpeg_encode_rows(encoder, row(index), 0, 1))
            }
        }
    }

    /// Encodes a picture whose rows are all the same.
    func encode(repeating row: [UInt8]) -> Data {
        encode { Self.expect(byteclub_jpeg_encode_rows($0, row, 0, Int32(height))) }
    }

    private func encode(rows: (UnsafeMutablePointer<byteclub_jpeg_encoder>) -> Void) -> Data {
        let encoder = byteclub_jpeg_encoder_create(-1)!
        defer { byteclub_jpeg_encoder_destroy(encoder) }
        var options = byteclub_jpeg_options()
        options.width = Int32(width)
        options.height = Int32(height)
        options.components = Int32(format.componentCount)
        options.input = format.colorSpace
        options.stored = format == .ycck ? JCS_YCCK : JCS_UNKNOWN
        options.quality = Int32(quality)
        options.is_progressive = isProgressive ? 1 : 0
        options.keeps_chroma = keepsChroma ? 1 : 0
        Self.expect(byteclub_jpeg_start_encoding(encoder, options))
        if let exif {
            Self.expect(
                byteclub_jpeg_write_marker(encoder, JPEG_APP0 + 1, exif, UInt32(exif.count)))
        }
        if let profile {
            Self.expect(
                byteclub_jpeg_write_profile(encoder, Array(profile), UInt32(profile.count)))
        }
        rows(encoder)
        Self.expect(byteclub_jpeg_finish_encoding(encoder))
        return Data(bytes: encoder.pointee.buffer, count: encoder.pointee.bytes_written)
    }

    private static func expect(_ status: byteclub_jpeg_status) {
        precondition(status == BYTECLUB_JPEG_FINE, "libjpeg refused a test picture")
    }
}
