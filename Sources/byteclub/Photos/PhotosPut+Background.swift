import ByteClubMessages
import ByteClubPictures
import ClubAccess
import ClubLibrary
import ClubStore
import FoundationEssentials
import Glibc

extension PhotosPut {
    /// Leaves the photos to the background.
    func order() async throws {
        let registry = ClubRegistry()
        let settings = try club.choose(registry)
        let transfers = registry.settings().transfers
        var orders: [TransferOrder] = []
        var named: [RemotePath: String] = [:]
        for file in files {
            let preparation = sending.preparation(transfers)
            let source = try Self.source(file, keepsOriginal: preparation.keepsOriginal)
            try checkName(of: source, preparation)
            let path = try path(of: source, preparation)
            if let other = named.updateValue(file, forKey: path) {
                throw CommandFailure(
                    other == file
                        ? localized(
                            "“\(file)” is named twice. Nothing was ordered; name it once.")
                        : localized(
                            "“\(other)” and “\(file)” would both be “\(path.name)” in the club. Nothing "
                                + "was ordered; rename one of them."))
            }
            var order = TransferOrder(.upload, path, file: source)
            order.preparation = preparation
            order.bytesPerSecondLimit =
                (limitRate ?? .standard(transfers)).bytesPerSecond
            orders.append(order)
        }
        try await Orders(settings, registry).add(orders)
        for order in orders { TransferEvent.write(queued: order, asJSON: json.isOn) }
    }

    /// A file that remains readable for a background transfer.
    private static func source(_ file: String, keepsOriginal: Bool) throws -> URL {
        let source = URL(filePath: file).standardizedFileURL
        var status = stat()
        guard stat(source.path, &status) == 0, access(source.path, R_OK) == 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(
                localized("“\(file)” cannot be read: \(reason). Nothing was ordered."))
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandFailure(
                localized("“\(file)” is a folder. Nothing was ordered; name the photos in it."))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure(
                localized(
                    "“\(file)” is not an ordinary file. Nothing was ordered; save it as one first."
                ))
        }
        let format = FileFormat(of: source)
        let isPicture = format.map(FileFormat.openable.contains) == true
        guard isPicture, !keepsOriginal || format?.photoEnding != nil else {
            let code: PictureError.Code =
                isPicture ? .onlyAsJPEG : status.st_size == 0 ? .empty : .notAPicture
            let error = PictureError(code, operation: "add", format: format)
            throw CommandFailure(
                localized(
                    "“\(file)” cannot be added because \(error.reason). Nothing was ordered."))
        }
        return source
    }
}
