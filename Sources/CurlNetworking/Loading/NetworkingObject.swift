#if Foundation
    /// What sessions, tasks, answers and the other classes are.
    public typealias NetworkingObject = NSObject
#else
    /// What sessions, tasks, answers and the other classes are: an `NSObject` with the trait `Foundation`,
    /// without it a class with those of its methods that are used most.
    ///
    /// Two are equal when they are the same, unless their class says otherwise.
    open class NetworkingObject: Hashable, CustomStringConvertible {
        /// For subclasses.
        public init() {}

        /// Whether `object` is equal to this one.
        open func isEqual(_ object: Any?) -> Bool { (object as? NetworkingObject) === self }

        /// The same for equal ones.
        open var hash: Int { ObjectIdentifier(self).hashValue }

        /// The same object, unless it is one that changes.
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
