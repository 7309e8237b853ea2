#if Foundation
    public import Foundation

    // Conformances to protocols that only the whole of Foundation has.

    extension URLSessionTask: ProgressReporting {}

    extension URLSessionTask: NSCopying {
        /// Returns the task itself.
        public func copy(with zone: NSZone? = nil) -> Any { copy() }
    }

    extension URLSessionConfiguration: NSCopying {
        /// Returns a copy of the configuration.
        public func copy(with zone: NSZone? = nil) -> Any { copy() }
    }

    extension URLResponse: NSCopying {
        /// Returns the response itself.
        public func copy(with zone: NSZone? = nil) -> Any { copy() }
    }

    extension CachedURLResponse: NSCopying {
        /// Returns the response itself, which is immutable.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }

    extension URLCredential: NSCopying {
        /// Returns the credential itself, which is immutable.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }

    extension URLProtectionSpace: NSCopying {
        /// Returns the protection space itself, which is immutable.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
#endif
