#if Foundation
    public import Foundation
#endif

extension URLError {
    /// Why a network that is there may not be used. The numbers are Apple's.
    public enum NetworkUnavailableReason: Int, Sendable {
        /// It is a mobile network (`allowsCellularAccess`).
        case cellular = 0
        /// It is paid by volume (`allowsExpensiveNetworkAccess`).
        case expensive = 1
        /// It is to be used sparingly (`allowsConstrainedNetworkAccess`).
        case constrained = 2
    }

    /// Why the network that was there could not be used; nil where that was not the reason.
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

    /// Why the system has ended a background task; nil where that was not the reason.
    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (errorUserInfo["NSURLErrorBackgroundTaskCancelledReasonKey"] as? Int)
            .flatMap(BackgroundTaskCancelledReason.init)
    }

    package static let networkUnavailableReasonKey = "NSURLErrorNetworkUnavailableReasonKey"
}
