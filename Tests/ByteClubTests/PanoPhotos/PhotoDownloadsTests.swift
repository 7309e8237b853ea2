import ClubLibrary
import ClubStore
import Foundation
import Testing

@testable import ByteClub
@testable import ClubAccess

@Suite struct PhotoDownloadsTests {
    @Test(arguments: [
        ("/sea.jpg", "/home/p/sea.jpg", true), ("/sea.jpg", "/home/p/sea (2).jpg", true),
        ("/sea.jpg", "/home/q/sea.jpg", false), ("/lake.jpg", "/home/p/sea.jpg", false),
        ("/sea.jpg", "/home/p/../p/sea.jpg", true),
    ])
    func aDownloadOfThePhotoToTheFolderIsRecognized(path: String, file: String, isOne: Bool) throws
    {
        let photo = RemoteFile(
            path: try RemotePath(validating: "/sea.jpg"), revision: Revision(rawValue: "r"),
            byteCount: 1, modified: .now)
        let path = try RemotePath(validating: path)
        for folder in ["/home/p", "/home/p/"] {
            let item = TransferItem(
                order: TransferOrder(.download, path, file: URL(filePath: file)),
                status: TransferStatus())
            #expect(item.isDownload(of: photo, to: URL(filePath: folder)) == isOne)
        }
        let upload = TransferItem(
            order: TransferOrder(.upload, path, file: URL(filePath: file)), status: TransferStatus()
        )
        #expect(!upload.isDownload(of: photo, to: URL(filePath: "/home/p")))
    }
}
