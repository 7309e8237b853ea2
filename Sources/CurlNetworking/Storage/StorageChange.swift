#if Foundation
    import Dispatch
    public import Foundation

    extension NSNotification.Name {
        /// Posted when the cookies of a storage have changed; the object is the storage.
        public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name(
            "NSHTTPCookieManagerCookiesChangedNotification")
        /// Posted when a storage's accept policy has changed; the object is the storage.
        public static let NSHTTPCookieManagerAcceptPolicyChanged = NSNotification.Name(
            "NSHTTPCookieManagerAcceptPolicyChangedNotification")
        /// Posted when the credentials of a storage have changed; the object is the storage.
        public static let NSURLCredentialStorageChanged = NSNotification.Name(
            "NSURLCredentialStorageChangedNotification")
    }
#endif

/// Posts to Foundation's `NotificationCenter`; does nothing without the trait `Foundation`.
enum StorageChange {
    case cookies
    case cookiePolicy
    case credentials

    /// Posts on the current thread, as observers expect.
    func post(of storage: NetworkingObject) {
        #if Foundation
            let name: NSNotification.Name =
                switch self {
                case .cookies: .NSHTTPCookieManagerCookiesChanged
                case .cookiePolicy: .NSHTTPCookieManagerAcceptPolicyChanged
                case .credentials: .NSURLCredentialStorageChanged
                }
            NotificationCenter.default.post(name: name, object: storage)
        #endif
    }

    /// Posts soon, on another thread: the engine does not wait for observers.
    func postLater(of storage: any NetworkingObject & Sendable) {
        #if Foundation
            Self.posts.async { @Sendable in post(of: storage) }
        #endif
    }

    #if Foundation
        /// Serial: a global queue would wake the process every second from then on.
        private static let posts = DispatchQueue(label: "CurlNetworking.storage-changes")
    #endif
}
