public import FoundationEssentials

/// Why a task failed, in Apple's codes.
///
/// ```swift
/// do { try await session.data(from: url) }
/// catch URLError.timedOut { … }
/// ```
public struct URLError: Error, Hashable, Sendable {
    public let code: Code
    /// The URL that was being loaded when it failed.
    public let failingURL: URL?
    /// What libcurl or the system said, for logs: `Failed to connect to 127.0.0.1 port 9`.
    public let underlyingText: String?

    public init(_ code: Code, failingURL: URL? = nil, underlyingText: String? = nil) {
        self.code = code
        self.failingURL = failingURL
        self.underlyingText = underlyingText
    }

    /// `NSURLErrorDomain`.
    public static var errorDomain: String { "NSURLErrorDomain" }

    /// The code as a number, negative as Apple has it.
    public var errorCode: Int { code.rawValue }

    public var failureURLString: String? { failingURL?.absoluteString }

    /// What happened, in a sentence for a person.
    public var localizedDescription: String { code.sentence }

    /// Two errors are the same when their codes are: the text is for logs.
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

// MARK: - Codes

extension URLError {
    /// A reason for failure; the numbers are those of `NSURLErrorDomain`.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Lets `catch URLError.timedOut` and `case URLError.timedOut:` match an error by its code.
        public static func ~= (code: Code, error: any Error) -> Bool {
            (error as? URLError)?.code == code
        }
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

    fileprivate var sentence: String {
        switch self {
        case .cancelled: "The transfer was cancelled."
        case .badURL: "The address is not a valid URL."
        case .timedOut: "The server did not answer in time."
        case .unsupportedURL: "Only http and https addresses can be loaded."
        case .cannotFindHost, .dnsLookupFailed: "The server's name could not be found."
        case .cannotConnectToHost: "The server could not be reached."
        case .networkConnectionLost: "The connection to the server was lost."
        case .httpTooManyRedirects: "The server redirected too many times."
        case .notConnectedToInternet: "There is no network connection."
        case .redirectToNonExistentLocation: "The server redirected to an unusable address."
        case .badServerResponse, .cannotParseResponse: "The server sent an answer that is not HTTP."
        case .cannotDecodeRawData, .cannotDecodeContentData:
            "The server's answer could not be decompressed."
        case .requestBodyStreamExhausted: "The body to send ended early or could not be read again."
        case .fileDoesNotExist: "The file does not exist."
        case .fileIsDirectory: "The file is a folder."
        case .noPermissionsToReadFile: "The file may not be read."
        case .dataLengthExceedsMaximum: "The answer is too large."
        case .secureConnectionFailed: "No secure connection to the server could be made."
        case .serverCertificateHasBadDate: "The server's certificate has expired."
        case .serverCertificateUntrusted: "The server's certificate cannot be trusted."
        case .serverCertificateHasUnknownRoot:
            "The server's certificate is signed by an unknown authority."
        case .serverCertificateNotYetValid: "The server's certificate is not valid yet."
        case .clientCertificateRejected: "The server rejected the client certificate."
        case .clientCertificateRequired: "The server requires a client certificate."
        case .cannotCreateFile: "The file could not be created."
        case .cannotOpenFile: "The file could not be opened."
        case .cannotCloseFile, .cannotWriteToFile: "The file could not be written."
        case .cannotRemoveFile: "The file could not be removed."
        case .cannotMoveFile: "The file could not be moved."
        default: "The transfer failed."
        }
    }
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
}
