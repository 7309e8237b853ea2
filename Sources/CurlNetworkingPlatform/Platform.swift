// The C library, in one place: CurlNetworking imports this module and never a C library by name.
#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#else
    #error("CurlNetworking needs Linux, with glibc or musl.")
#endif
