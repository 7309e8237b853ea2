#if Foundation

    public import Foundation

    // Foundation's own `URLError`, so that `error as? URLError` matches in a file that imports only that, and
    // what Apple's has and Foundation's lacks on Linux.

    extension URLError {
        package init(
            _ code: Code, failingURL: URL?, underlyingText: String? = nil,
            downloadTaskResumeData: Data? = nil, uploadTaskResumeData: Data? = nil
        ) {
            var userInfo: [String: Any] = [Key.sentence: code.sentence]
            if let failingURL {
                userInfo[Key.failingURL] = failingURL
                userInfo[Key.failingURLString] = failingURL.absoluteString
            }
            userInfo[Key.underlyingText] = underlyingText
            userInfo[Key.downloadResumeData] = downloadTaskResumeData
            userInfo[Key.uploadResumeData] = uploadTaskResumeData
            self.init(code, userInfo: userInfo)
        }

        package init(_ code: Code, underlyingText: String?) {
            self.init(code, failingURL: nil, underlyingText: underlyingText)
        }

        /// The same error with what its task needs to go on later.
        package func with(downloadTaskResumeData: Data? = nil, uploadTaskResumeData: Data? = nil)
            -> URLError
        {
            var userInfo = errorUserInfo
            if let downloadTaskResumeData {
                userInfo[Key.downloadResumeData] = downloadTaskResumeData
            }
            if let uploadTaskResumeData { userInfo[Key.uploadResumeData] = uploadTaskResumeData }
            return URLError(code, userInfo: userInfo)
        }

        /// The same error with something more in its user info.
        package func adding(_ value: any Sendable, for key: String) -> URLError {
            URLError(code, userInfo: errorUserInfo.merging([key: value]) { _, new in new })
        }

        /// What libcurl or the system said, for logs: `Failed to connect to 127.0.0.1 port 9`.
        public var underlyingText: String? { errorUserInfo[Key.underlyingText] as? String }

        /// What `URLSession.downloadTask(withResumeData:)` takes, if the download can be resumed.
        public var downloadTaskResumeData: Data? { errorUserInfo[Key.downloadResumeData] as? Data }

        /// What `URLSession.uploadTask(withResumeData:)` takes, if the upload can be resumed.
        public var uploadTaskResumeData: Data? { errorUserInfo[Key.uploadResumeData] as? Data }

        private enum Key {
            static let failingURL = NSURLErrorFailingURLErrorKey
            static let failingURLString = "NSErrorFailingURLStringKey"
            static let underlyingText = NSDebugDescriptionErrorKey
            static let sentence = NSLocalizedDescriptionKey
            static let downloadResumeData = "NSURLSessionDownloadTaskResumeData"
            static let uploadResumeData = "NSURLSessionUploadTaskResumeData"
        }
    }

#endif
