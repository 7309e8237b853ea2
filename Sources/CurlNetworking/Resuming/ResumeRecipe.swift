import FoundationEssentials

/// What the resume data of a download will say, once it is known how much has arrived.
enum ResumeRecipe: Sendable {
    /// Of a whole answer.
    case begins(URLRequest, originalURL: URL?, ResponseHead)
    /// Of the rest of one: the version is the one of the first part.
    case goesOn(ResumeData)

    /// - Parameter request: The one that was answered.
    /// - Returns: nil when the server, the request or the answer does not allow to go on later.
    static func make(
        for request: URLRequest, originalURL: URL?, _ head: ResponseHead
    ) -> ResumeRecipe? {
        guard head.status == 200, DownloadResumption.validator(for: request, head) != nil else {
            return nil
        }
        return .begins(request, originalURL: originalURL, head)
    }

    /// - Parameter checksum: Of the first `byteCount` bytes.
    func data(byteCount: Int64, checksum: UInt64?, fileName: String) -> ResumeData? {
        switch self {
        case .begins(let request, let originalURL, let head):
            return DownloadResumption.data(
                request: request, originalURL: originalURL, head: head, byteCount: byteCount,
                checksum: checksum, fileName: fileName)
        case .goesOn(var data):
            if let total = data.totalByteCount, byteCount > total { return nil }
            data.byteCount = byteCount
            data.checksum = checksum
            data.fileName = fileName
            return data
        }
    }
}
