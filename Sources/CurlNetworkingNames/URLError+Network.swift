#if Foundation
    public import Foundation
#endif

extension URLError {
    /// Why an available network may not be used. The raw values are Apple's.
    public enum NetworkUnavailableReason: Int, Sendable {
        /// It is a mobile network (`allowsCellularAccess`).
        case cellular = 0
        /// It is metered (`allowsExpensiveNetworkAccess`).
        case expensive = 1
        /// It is in low-data mode (`allowsConstrainedNetworkAccess`).
        case constrained = 2
    }

    /// Why an available network could not be used; nil if that was not the reason.
    public var networkUnavailableReason: NetworkUnavailableReason? {
        (errorUserInfo[Self.networkUnavailableReasonKey] as? Int).flatMap(
            NetworkUnavailableReason.init)
    }

    /// Why the system has ended a background task. The numbers are Apple's. No system does here: an error
    /// has one only if its maker gave it one.
    public enum BackgroundTaskCancelledReason: Int, Sendable {
        case userForceQuitApplication = 0
        case backgroundUpdatesDisabled = 1
        case insufficientSystemResources = 2
    }

    /// Why the system has ended a background task; nil if that was not the reason.
    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (errorUserInfo["NSURLErrorBackgroundTaskCancelledReasonKey"] as? Int)
            .flatMap(BackgroundTaskCancelledReason.init)
    }

    package static let networkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"
}
