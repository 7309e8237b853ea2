#if Foundation
    import Dispatch
    public import Foundation

    extension NSNotification.Name {
        /// The cookies of a storage have changed; the object is the storage.
        public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name(
            "NSHTTPCookieManagerCookiesChangedNotification")
        /// A storage takes other cookies now; the object is the storage.
        public static let NSHTTPCookieManagerAcceptPolicyChanged = NSNotification.Name(
            "NSHTTPCookieManagerAcceptPolicyChangedNotification")
        /// The credentials of a storage have changed; the object is the storage.
        public static let NSURLCredentialStorageChanged = NSNotification.Name(
            "NSURLCredentialStorageChangedNotification")
    }
#endif

/// What Foundation's `NotificationCenter` is told; nothing without the trait `Foundation`.
enum StorageChange {
    case cookies
    case cookiePolicy
    case credentials

    /// On this thread, as its observers expect.
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

    /// Soon, on another thread: for the engine, which waits for no observer.
    func postLater(of storage: any NetworkingObject & Sendable) {
        #if Foundation
            DispatchQueue.global().async { @Sendable in post(of: storage) }
        #endif
    }
}
