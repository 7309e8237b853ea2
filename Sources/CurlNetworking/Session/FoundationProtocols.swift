#if Foundation
    public import Foundation

    // What all of Foundation knows of, and these classes are there.

    extension URLSessionTask: ProgressReporting {}

    extension URLSessionTask: NSCopying {
        /// The same task.
        public func copy(with zone: NSZone? = nil) -> Any { copy() }
    }

    extension URLSessionConfiguration: NSCopying {
        /// A configuration that starts with the same values.
        public func copy(with zone: NSZone? = nil) -> Any { copy() }
    }

    extension URLResponse: NSCopying {
        /// The same answer.
        public func copy(with zone: NSZone? = nil) -> Any { copy() }
    }

    extension CachedURLResponse: NSCopying {
        /// The same answer: it never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }

    extension URLCredential: NSCopying {
        /// The same credential: it never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }

    extension URLProtectionSpace: NSCopying {
        /// The same space: it never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }
    }
#endif
