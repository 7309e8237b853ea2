#if Foundation
    import Foundation

    extension URLProtocol {
        /// Attaches a property to a request. Copies include it, but it is not sent.
        public class func setProperty(
            _ value: Any, forKey key: String, in request: NSMutableURLRequest
        ) {
            request.request.properties.values[key] = ForeignValue(value)
        }

        /// Removes a property that `setProperty` has attached.
        public class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
            request.request.properties.values[key] = nil
        }
    }
#endif
