internal import CTurboJPEG

/// The library that reads and writes JPEG, for reports of what a program runs on.
public enum JPEGLibrary {
    /// The version it was built with, e.g. `libjpeg-turbo 2.1.5`: the library itself says none.
    public static var version: String {
        "libjpeg-turbo " + String(cString: byteclub_jpeg_version())
    }
}
