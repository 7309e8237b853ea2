internal import ClubStore
internal import FoundationEssentials
internal import ByteClubPictures

/// Thumbnails made by the picture workers.
struct PictureThumbnailer: Thumbnailer {
    func thumbnail(of picture: Data, size: RemoteThumbnailSize) async throws -> Data {
        try await make {
            () async throws(PictureError) in
            try await PictureWorkers.shared.thumbnail(
                of: PictureFile(data: picture), fitting: size.box, mode: .bestFit)
        }
    }

    func embeddedThumbnail(in beginning: Data, size: RemoteThumbnailSize) async throws -> Data {
        try await make {
            () async throws(PictureError) in
            try await PictureWorkers.shared.embeddedThumbnail(
                in: PictureFile(data: beginning), fitting: size.box, mode: .bestFit)
        }
    }

    private func make(_ work: () async throws(PictureError) -> Thumbnail) async throws -> Data {
        do throws(PictureError) {
            let small = try await work()
            let size = FullSizeComment(width: small.fullSize.width, height: small.fullSize.height)
            return size?.added(to: small.data) ?? small.data
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            throw error
        }
    }
}

extension RemoteThumbnailSize {
    fileprivate var box: PixelSize { PixelSize(width: width, height: height) }
}
