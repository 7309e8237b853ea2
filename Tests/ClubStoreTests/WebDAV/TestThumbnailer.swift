import ClubStore
import Foundation
import ByteClubPictures

/// Makes thumbnails in this process.
struct TestThumbnailer: Thumbnailer {
    func thumbnail(of picture: Data, size: RemoteThumbnailSize) async throws -> Data {
        try await PictureWorkers.shared.thumbnail(
            of: PictureFile(data: picture), fitting: box(size), mode: .bestFit
        ).data
    }

    func embeddedThumbnail(in beginning: Data, size: RemoteThumbnailSize) async throws -> Data {
        try await PictureWorkers.shared.embeddedThumbnail(
            in: PictureFile(data: beginning), fitting: box(size), mode: .bestFit
        ).data
    }

    private func box(_ size: RemoteThumbnailSize) -> PixelSize {
        PixelSize(width: size.width, height: size.height)
    }
}
