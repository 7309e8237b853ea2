import FoundationEssentials

/// The future resume data of a download, for any number of received bytes.
enum ResumeRecipe: Sendable {
    /// For a download from the first byte.
    case begins(URLRequest, originalURL: URL?, ResponseHead)
    /// For a resumed download: the version is that of the existing bytes.
    case resumes(ResumeData)

    /// Creates a recipe from a response.
    ///
    /// - Parameter request: The request that was answered.
    /// - Returns: nil if the server, the request or the response does not permit resuming.
    static func make(
        for request: URLRequest, originalURL: URL?, _ head: ResponseHead
    ) -> ResumeRecipe? {
        guard head.status == 200, DownloadResumption.validator(for: request, head) != nil else {
            return nil
        }
        return .begins(request, originalURL: originalURL, head)
    }

    /// Creates the resume data.
    ///
    /// - Parameter checksum: The checksum of the first `byteCount` bytes.
    func data(byteCount: Int64, checksum: UInt64?, fileName: String) -> ResumeData? {
        switch self {
        case .begins(let request, let originalURL, let head):
            return DownloadResumption.data(
                request: request, originalURL: originalURL, head: head, byteCount: byteCount,
                checksum: checksum, fileName: fileName)
        case .resumes(var data):
            if let total = data.totalByteCount, byteCount > total { return nil }
            data.byteCount = byteCount
            data.checksum = checksum
            data.fileName = fileName
            return data
        }
    }
}
