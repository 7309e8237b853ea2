/// How photos are moved.
package struct TransferSettings: Hashable, Sendable {
    /// The JPEG quality that photos are encoded anew with, from 0.1 to 1.
    package var photoQuality = 0.6
    /// The most bytes to move in a second; nil for as fast as it goes.
    package var bytesPerSecondLimit: Int64?

    static let photoQualities = 0.1...1.0
}

extension Settings {
    /// Reads the section `transfers`.
    mutating func readTransfers(_ node: YAMLNode) {
        if node.isNull { return }
        guard let pairs = node.pairs else {
            report(
                node.line, "The transfers' settings must be names, each with a value after a colon."
            )
            return
        }
        var fields = SettingsFields(pairs, of: "the transfers", line: node.line)
        if let quality = fields.number("photo-quality", in: TransferSettings.photoQualities) {
            transfers.photoQuality = quality
        }
        if let rate = fields.text("limit-rate") {
            if let limit = ByteRate(rate) {
                transfers.bytesPerSecondLimit = limit.bytesPerSecond
            } else {
                fields.report(
                    fields.line(of: "limit-rate"),
                    "“\(rate)” is no rate. Rates are bytes in a second: 500K, 4M.")
            }
        }
        if !isNewer { fields.reportUnknown() }
        problems += fields.problems
    }
}
