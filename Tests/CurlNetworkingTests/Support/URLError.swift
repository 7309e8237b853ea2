import CurlNetworking

/// All of Foundation has a type of this name too; the module's own comes first.
typealias URLError = CurlNetworking.URLError
