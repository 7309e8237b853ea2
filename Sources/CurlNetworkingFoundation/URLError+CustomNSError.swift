#if !Foundation
    public import CurlNetworkingNames
    public import Foundation

    /// Lets `error as NSError` have the whole user info of a ``URLError``: resume data, the failing URL.
    ///
    /// Foundation asks for this conformance while the program runs: it needs only to be linked, and nobody
    /// has to import this module. It is one of its own because only all of Foundation knows the protocol, and
    /// `CurlNetworking` does without that.
    extension CurlNetworkingNames.URLError: CustomNSError {}
#endif
