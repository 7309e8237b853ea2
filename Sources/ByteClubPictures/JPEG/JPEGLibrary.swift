internal import CByteClubTurboJPEG

/// The library for JPEG, for reports about the environment.
public enum JPEGLibrary {
    /// The version at build time, e.g. `libjpeg-turbo 2.1.5`: the library does not report one.
    public static var version: String {
        "libjpeg-turbo " + String(cString: byteclub_jpeg_version())
    }
}
