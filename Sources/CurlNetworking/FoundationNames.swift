#if Foundation
    // `URLError`, `Progress` and `InputStream` are Foundation's own; a file that imports `CurlNetworking` has all
    // of Foundation, as one has that imports `FoundationNetworking`.
    @_exported public import CurlNetworkingNames
    @_exported public import Foundation
#else
    // A file that imports Foundation and CurlNetworking finds two types of each of these names. Exported
    // by name, ours comes before Foundation's, which that module only exports as part of a whole.
    @_exported public import class CurlNetworkingNames.InputStream
    @_exported public import class CurlNetworkingNames.NSKeyValueObservation
    @_exported public import struct CurlNetworkingNames.NSKeyValueObservedChange
    @_exported public import struct CurlNetworkingNames.NSKeyValueObservingOptions
    @_exported public import class CurlNetworkingNames.Progress
    @_exported public import struct CurlNetworkingNames.URLError

    // Here, not beside the type: an export by name carries a type's members, but not its operators.
    extension URLError.Code {
        /// Lets `catch URLError.timedOut` and `case URLError.timedOut:` match an error by its code.
        public static func ~= (code: URLError.Code, error: any Error) -> Bool {
            (error as? URLError)?.code == code
        }
    }
#endif
