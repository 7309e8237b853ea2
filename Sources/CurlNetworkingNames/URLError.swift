#if !Foundation

    public import FoundationEssentials

    /// Why a task failed, in Apple's codes.
    ///
    /// ```swift
    /// do { try await session.data(from: url) }
    /// catch URLError.timedOut { … }
    /// ```
    ///
    /// All of Foundation has a type of this name too. A file that imports both `Foundation` and
    /// `CurlNetworking` means this one, without a word: `CurlNetworking` exports it by its name, which
    /// comes before what a module exports as a whole.
    public struct URLError: Error, Sendable {
        /// What kind of failure it is.
        public let code: Code
        /// The URL that was being loaded when it failed.
        public let failingURL: URL?
        /// What libcurl or the system said, for logs: `Failed to connect to 127.0.0.1 port 9`.
        public let underlyingText: String?
        /// What `URLSession.downloadTask(withResumeData:)` takes, if the download can be resumed.
        public private(set) var downloadTaskResumeData: Data?
        /// What `URLSession.uploadTask(withResumeData:)` takes, if the upload can be resumed.
        public private(set) var uploadTaskResumeData: Data?
        /// What the maker of the error added, besides what has a property of its own.
        private var additions: [String: any Sendable]

        /// Creates an error, for a delegate or a test.
        ///
        /// - Parameter userInfo: May hold Apple's keys: `NSErrorFailingURLKey` (a `URL`),
        ///   `NSDebugDescription` (a `String`), `NSURLSessionDownloadTaskResumeData` and
        ///   `NSURLSessionUploadTaskResumeData` (`Data`); they come back as the properties of this
        ///   type. Anything else is kept in ``userInfo``.
        public init(_ code: Code, userInfo: [String: any Sendable] = [:]) {
            self.code = code
            failingURL = userInfo[Key.failingURL] as? URL
            underlyingText = userInfo[Key.underlyingText] as? String
            downloadTaskResumeData = userInfo[Key.downloadResumeData] as? Data
            uploadTaskResumeData = userInfo[Key.uploadResumeData] as? Data
            additions = userInfo
        }

        /// Like ``init(_:userInfo:)`` with values of any type: texts, numbers, dates, URLs, data and errors
        /// are taken over, others left out.
        @_disfavoredOverload
        public init(_ code: Code, userInfo: [String: Any]) {
            let known = userInfo.compactMapValues { value -> (any Sendable)? in
                switch value {
                case let value as String: value
                case let value as URL: value
                case let value as Data: value
                case let value as Int: value
                case let value as Double: value
                case let value as Bool: value
                case let value as Date: value
                case let value as any Error: value
                default: nil
                }
            }
            self.init(code, userInfo: known)
        }

        package init(
            _ code: Code, failingURL: URL?, underlyingText: String? = nil,
            downloadTaskResumeData: Data? = nil, uploadTaskResumeData: Data? = nil
        ) {
            self.code = code
            self.failingURL = failingURL
            self.underlyingText = underlyingText
            self.downloadTaskResumeData = downloadTaskResumeData
            self.uploadTaskResumeData = uploadTaskResumeData
            additions = [:]
        }

        package init(_ code: Code, underlyingText: String?) {
            self.init(code, failingURL: nil, underlyingText: underlyingText)
        }

        /// The same error with what its task needs to go on later.
        package func with(downloadTaskResumeData: Data? = nil, uploadTaskResumeData: Data? = nil)
            -> URLError
        {
            var error = self
            error.downloadTaskResumeData = downloadTaskResumeData ?? self.downloadTaskResumeData
            error.uploadTaskResumeData = uploadTaskResumeData ?? self.uploadTaskResumeData
            return error
        }

        /// The same error with something more in its user info.
        package func adding(_ value: any Sendable, for key: String) -> URLError {
            var error = self
            error.additions[key] = value
            return error
        }

        /// `NSURLErrorDomain`.
        public static var errorDomain: String { "NSURLErrorDomain" }

        /// The code as a number, negative as in Apple's implementation.
        public var errorCode: Int { code.rawValue }

        /// The whole error under Apple's keys, as `NSError.userInfo` has it there.
        public var userInfo: [String: Any] {
            var all = additions as [String: Any]
            if let failingURL {
                all[Key.failingURL] = failingURL
                all[Key.failingURLString] = failingURL.absoluteString
            }
            all[Key.underlyingText] = underlyingText
            all[Key.downloadResumeData] = downloadTaskResumeData
            all[Key.uploadResumeData] = uploadTaskResumeData
            if all[Key.sentence] == nil { all[Key.sentence] = code.sentence }
            return all
        }

        /// The same as ``userInfo``.
        public var errorUserInfo: [String: Any] { userInfo }

        /// ``failingURL`` as text.
        public var failureURLString: String? { failingURL?.absoluteString }

        /// What happened, in a sentence for a person.
        public var localizedDescription: String {
            additions[Key.sentence] as? String ?? code.sentence
        }

        private enum Key {
            static let failingURL = "NSErrorFailingURLKey"
            static let failingURLString = "NSErrorFailingURLStringKey"
            static let underlyingText = "NSDebugDescription"
            static let sentence = "NSLocalizedDescription"
            static let downloadResumeData = "NSURLSessionDownloadTaskResumeData"
            static let uploadResumeData = "NSURLSessionUploadTaskResumeData"
        }
    }

    // MARK: - Comparing and describing

    extension URLError: Hashable {
        /// Two errors are the same when their codes and URLs are: the rest is for logs.
        public static func == (one: URLError, other: URLError) -> Bool {
            one.code == other.code && one.failingURL == other.failingURL
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(code)
            hasher.combine(failingURL)
        }
    }

    extension URLError: LocalizedError {
        public var errorDescription: String? { localizedDescription }
    }

    extension URLError: CustomStringConvertible {
        public var description: String {
            var text = "URLError \(code.rawValue): \(localizedDescription)"
            if let failingURL { text += " (\(failingURL.absoluteString))" }
            if let underlyingText { text += " [\(underlyingText)]" }
            return text
        }
    }

    // MARK: - As an NSError

    extension URLError {
        // What the standard library asks of every error, and all of Foundation of `error as NSError`:
        // with these, its domain and code are Apple's, though this module knows no NSError.
        public var _domain: String { Self.errorDomain }
        public var _code: Int { errorCode }

        /// What files written for all of Foundation's `URLError` read its domain, code and user info from.
        public var _nsError: Facts {
            Facts(domain: Self.errorDomain, code: errorCode, userInfo: userInfo)
        }

        /// An error's domain, code and user info, as an `NSError` has them.
        public struct Facts {
            /// `NSURLErrorDomain`.
            public let domain: String
            /// The number of the code.
            public let code: Int
            /// The rest of the error under Apple's keys.
            public let userInfo: [String: Any]
        }
    }

    // MARK: - Codes

    extension URLError {
        /// A reason for failure; the numbers are those of `NSURLErrorDomain`.
        public struct Code: RawRepresentable, Hashable, Sendable {
            public let rawValue: Int

            public init(rawValue: Int) { self.rawValue = rawValue }
        }
    }

    extension URLError.Code {
        public static let unknown = Self(rawValue: -1)
        public static let cancelled = Self(rawValue: -999)
        public static let badURL = Self(rawValue: -1000)
        public static let timedOut = Self(rawValue: -1001)
        public static let unsupportedURL = Self(rawValue: -1002)
        public static let cannotFindHost = Self(rawValue: -1003)
        public static let cannotConnectToHost = Self(rawValue: -1004)
        public static let networkConnectionLost = Self(rawValue: -1005)
        public static let dnsLookupFailed = Self(rawValue: -1006)
        public static let httpTooManyRedirects = Self(rawValue: -1007)
        public static let resourceUnavailable = Self(rawValue: -1008)
        public static let notConnectedToInternet = Self(rawValue: -1009)
        public static let redirectToNonExistentLocation = Self(rawValue: -1010)
        public static let badServerResponse = Self(rawValue: -1011)
        public static let userCancelledAuthentication = Self(rawValue: -1012)
        public static let userAuthenticationRequired = Self(rawValue: -1013)
        public static let zeroByteResource = Self(rawValue: -1014)
        public static let cannotDecodeRawData = Self(rawValue: -1015)
        public static let cannotDecodeContentData = Self(rawValue: -1016)
        public static let cannotParseResponse = Self(rawValue: -1017)
        public static let internationalRoamingOff = Self(rawValue: -1018)
        public static let callIsActive = Self(rawValue: -1019)
        public static let dataNotAllowed = Self(rawValue: -1020)
        public static let requestBodyStreamExhausted = Self(rawValue: -1021)
        public static let appTransportSecurityRequiresSecureConnection = Self(rawValue: -1022)
        public static let fileDoesNotExist = Self(rawValue: -1100)
        public static let fileIsDirectory = Self(rawValue: -1101)
        public static let noPermissionsToReadFile = Self(rawValue: -1102)
        public static let dataLengthExceedsMaximum = Self(rawValue: -1103)
        public static let secureConnectionFailed = Self(rawValue: -1200)
        public static let serverCertificateHasBadDate = Self(rawValue: -1201)
        public static let serverCertificateUntrusted = Self(rawValue: -1202)
        public static let serverCertificateHasUnknownRoot = Self(rawValue: -1203)
        public static let serverCertificateNotYetValid = Self(rawValue: -1204)
        public static let clientCertificateRejected = Self(rawValue: -1205)
        public static let clientCertificateRequired = Self(rawValue: -1206)
        public static let cannotLoadFromNetwork = Self(rawValue: -2000)
        public static let cannotCreateFile = Self(rawValue: -3000)
        public static let cannotOpenFile = Self(rawValue: -3001)
        public static let cannotCloseFile = Self(rawValue: -3002)
        public static let cannotWriteToFile = Self(rawValue: -3003)
        public static let cannotRemoveFile = Self(rawValue: -3004)
        public static let cannotMoveFile = Self(rawValue: -3005)
        public static let downloadDecodingFailedMidStream = Self(rawValue: -3006)
        public static let downloadDecodingFailedToComplete = Self(rawValue: -3007)
        public static let backgroundSessionRequiresSharedContainer = Self(rawValue: -995)
        public static let backgroundSessionInUseByAnotherProcess = Self(rawValue: -996)
        public static let backgroundSessionWasDisconnected = Self(rawValue: -997)
    }

    extension URLError {
        public static var unknown: Code { .unknown }
        public static var cancelled: Code { .cancelled }
        public static var badURL: Code { .badURL }
        public static var timedOut: Code { .timedOut }
        public static var unsupportedURL: Code { .unsupportedURL }
        public static var cannotFindHost: Code { .cannotFindHost }
        public static var cannotConnectToHost: Code { .cannotConnectToHost }
        public static var networkConnectionLost: Code { .networkConnectionLost }
        public static var dnsLookupFailed: Code { .dnsLookupFailed }
        public static var httpTooManyRedirects: Code { .httpTooManyRedirects }
        public static var resourceUnavailable: Code { .resourceUnavailable }
        public static var notConnectedToInternet: Code { .notConnectedToInternet }
        public static var redirectToNonExistentLocation: Code { .redirectToNonExistentLocation }
        public static var badServerResponse: Code { .badServerResponse }
        public static var userCancelledAuthentication: Code { .userCancelledAuthentication }
        public static var userAuthenticationRequired: Code { .userAuthenticationRequired }
        public static var zeroByteResource: Code { .zeroByteResource }
        public static var cannotDecodeRawData: Code { .cannotDecodeRawData }
        public static var cannotDecodeContentData: Code { .cannotDecodeContentData }
        public static var cannotParseResponse: Code { .cannotParseResponse }
        public static var dataNotAllowed: Code { .dataNotAllowed }
        public static var requestBodyStreamExhausted: Code { .requestBodyStreamExhausted }
        public static var fileDoesNotExist: Code { .fileDoesNotExist }
        public static var fileIsDirectory: Code { .fileIsDirectory }
        public static var noPermissionsToReadFile: Code { .noPermissionsToReadFile }
        public static var dataLengthExceedsMaximum: Code { .dataLengthExceedsMaximum }
        public static var secureConnectionFailed: Code { .secureConnectionFailed }
        public static var serverCertificateHasBadDate: Code { .serverCertificateHasBadDate }
        public static var serverCertificateUntrusted: Code { .serverCertificateUntrusted }
        public static var serverCertificateHasUnknownRoot: Code { .serverCertificateHasUnknownRoot }
        public static var serverCertificateNotYetValid: Code { .serverCertificateNotYetValid }
        public static var clientCertificateRejected: Code { .clientCertificateRejected }
        public static var clientCertificateRequired: Code { .clientCertificateRequired }
        public static var cannotLoadFromNetwork: Code { .cannotLoadFromNetwork }
        public static var cannotCreateFile: Code { .cannotCreateFile }
        public static var cannotOpenFile: Code { .cannotOpenFile }
        public static var cannotCloseFile: Code { .cannotCloseFile }
        public static var cannotWriteToFile: Code { .cannotWriteToFile }
        public static var cannotRemoveFile: Code { .cannotRemoveFile }
        public static var cannotMoveFile: Code { .cannotMoveFile }
        public static var internationalRoamingOff: Code { .internationalRoamingOff }
        public static var callIsActive: Code { .callIsActive }
        public static var appTransportSecurityRequiresSecureConnection: Code {
            .appTransportSecurityRequiresSecureConnection
        }
        public static var downloadDecodingFailedMidStream: Code { .downloadDecodingFailedMidStream }
        public static var downloadDecodingFailedToComplete: Code {
            .downloadDecodingFailedToComplete
        }
        public static var backgroundSessionRequiresSharedContainer: Code {
            .backgroundSessionRequiresSharedContainer
        }
        public static var backgroundSessionInUseByAnotherProcess: Code {
            .backgroundSessionInUseByAnotherProcess
        }
        public static var backgroundSessionWasDisconnected: Code {
            .backgroundSessionWasDisconnected
        }
    }

#endif
