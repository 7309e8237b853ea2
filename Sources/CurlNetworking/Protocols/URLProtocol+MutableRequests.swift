#if Foundation
    import Foundation

    extension URLProtocol {
        /// Notes something in a request; the note goes along with copies, but not over the wire.
        public class func setProperty(
            _ value: Any, forKey key: String, in request: NSMutableURLRequest
        ) {
            request.request.properties.values[key] = ForeignValue(value)
        }

        /// Takes back what `setProperty` has noted.
        public class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
            request.request.properties.values[key] = nil
        }
    }
#endif
