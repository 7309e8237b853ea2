package import ClubLibrary
internal import ByteClubMessages
package import ByteClubPictures

/// How photos are transferred.
package struct TransferSettings: Hashable, Sendable {
    /// The JPEG quality for encoding photos, from 0.1 to 1.
    package var photoQuality = 0.6
    /// Whether photos are uploaded unchanged.
    package var keepsOriginals = false
    /// Whether uploaded photos keep their location.
    package var keepsLocation = false
    /// The maximum rate in bytes per second; nil for unlimited.
    package var bytesPerSecondLimit: Int64?
    /// How many transfers of a club run at once.
    package var atOnce = 2
    /// Whether photos wait while the network is metered.
    package var waitsOnMeteredNetworks = false

    package static let photoQualities = 0.1...1.0
    package static let countsAtOnce = 1...8

    /// The standard settings.
    package init() {}

    /// How photos are prepared.
    package var preparation: PhotoPreparation {
        PhotoPreparation(
            keepsOriginal: keepsOriginals, quality: photoQuality, keepsLocation: keepsLocation)
    }
}

extension TransferOrder {
    /// How a photo is prepared for upload.
    package var preparation: PhotoPreparation {
        get {
            PhotoPreparation(
                keepsOriginal: keepsOriginal ?? false, quality: quality,
                keepsLocation: keepsLocation ?? false)
        }
        set {
            keepsOriginal = newValue.keepsOriginal
            quality = newValue.quality
            keepsLocation = newValue.keepsLocation
        }
    }
}

extension Settings {
    /// Reads the section `transfers`.
    mutating func readTransfers(_ node: YAMLNode) {
        var chosen = transfers
        readFields(of: node, localized("the transfers")) { fields in
            if let quality = fields.number("photo-quality", in: TransferSettings.photoQualities) {
                chosen.photoQuality = quality
            }
            if let keeps = fields.flag("photo-original") { chosen.keepsOriginals = keeps }
            if let keeps = fields.flag("photo-location") { chosen.keepsLocation = keeps }
            if let waits = fields.flag("wait-on-metered") { chosen.waitsOnMeteredNetworks = waits }
            if let count = fields.integer("at-once", in: TransferSettings.countsAtOnce) {
                chosen.atOnce = count
            }
            guard let text = fields.text("limit-rate") else { return }
            if let rate = ByteRate(text) {
                chosen.bytesPerSecondLimit = rate.bytesPerSecond
            } else {
                fields.report(
                    fields.line(of: "limit-rate"),
                    localized(
                        "“\(text)” is not a valid rate. Rates are bytes in a second: 500K, 4M."))
            }
        }
        transfers = chosen
    }
}
