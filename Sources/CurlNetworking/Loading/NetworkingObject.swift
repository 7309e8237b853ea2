#if Foundation
    /// The base class of sessions, tasks, responses and others.
    public typealias NetworkingObject = NSObject
#else
    /// The base class of sessions, tasks, responses and others: an `NSObject` with the trait `Foundation`;
    /// otherwise a class with the most common methods of `NSObject`.
    ///
    /// Objects are equal if they are identical, unless a subclass overrides that.
    open class NetworkingObject: Hashable, CustomStringConvertible {
        /// Creates an object, for subclasses.
        public init() {}

        /// Returns whether `object` is equal to this one.
        open func isEqual(_ object: Any?) -> Bool { (object as? NetworkingObject) === self }

        /// The hash value, equal for equal objects.
        open var hash: Int { ObjectIdentifier(self).hashValue }

        /// Returns the object itself, unless it is mutable.
        open func copy() -> Any { self }

        open var description: String {
            "<\(type(of: self)): 0x\(String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16))>"
        }

        public static func == (one: NetworkingObject, other: NetworkingObject) -> Bool {
            one.isEqual(other)
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(hash)
        }
    }
#endif
