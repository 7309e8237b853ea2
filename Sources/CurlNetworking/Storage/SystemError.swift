import CurlNetworkingPlatform

/// The text for the current `errno`.
var lastSystemError: String { String(cString: strerror(errno)) }
